// Passes errors through functions that return Result.
#pragma once

#define HEARSAY_CONCAT_INNER(a, b) a##b
#define HEARSAY_CONCAT(a, b) HEARSAY_CONCAT_INNER(a, b)

// HEARSAY_TRY(auto x, expression) makes x from the value of a Result. If the Result holds an error, the enclosing
// function returns this error.
#define HEARSAY_TRY(declaration, expression)                                          \
  auto HEARSAY_CONCAT(try_, __LINE__) = (expression);                                 \
  if (!HEARSAY_CONCAT(try_, __LINE__)) return HEARSAY_CONCAT(try_, __LINE__).error(); \
  declaration = std::move(HEARSAY_CONCAT(try_, __LINE__)).value()

// HEARSAY_CHECK_OK(expression) takes a Result<void>. If the Result holds an error, the enclosing function returns this
// error.
#define HEARSAY_CHECK_OK(expression) \
  if (auto check_result = (expression); !check_result) return check_result.error()
