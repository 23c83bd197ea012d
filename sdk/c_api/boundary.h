// What every function of the C interface needs at the border to C: checks of structs and texts, and errors in place of
// exceptions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "hearsay/error.h"
#include "hearsay/hearsay.h"
#include "hearsay/result.h"

namespace hearsay::c_api {

// Writes the error to `out`, unless `out` is NULL, and returns the error's code.
hearsay_code report(const Error& error, hearsay_error* out) noexcept;

// Like report(), for the exception that a catch clause is handling.
hearsay_code report_exception(hearsay_error* out) noexcept;

// Writes HEARSAY_OK to `out`, unless `out` is NULL.
hearsay_code report_success(hearsay_error* out) noexcept;

// Runs `body`, which returns a Result<void>. Reports an error or an exception to `out`, and returns the code.
template <class Body>
hearsay_code guarded(hearsay_error* out, const Body& body) noexcept {
  try {
    const Result<void> done = body();
    return done ? report_success(out) : report(done.error(), out);
  } catch (...) {
    return report_exception(out);
  }
}

Error null_argument(const char* what);

// Returns the text that a caller passed as a pointer and a length. Errors: kInvalidArgument (NULL with a length above
// 0, or a zero byte in the text).
Result<std::string_view> text_of(const char* data, std::size_t size, const char* what);

// Like text_of(), but an empty text is an error, too.
Result<std::string_view> required_text(const char* data, std::size_t size, const char* what);

// Copies a struct of the caller. The caller's header may be older or newer than the library's: members that the
// caller's struct lacks are zero in the copy. Errors: kInvalidArgument (NULL, a struct without its size, or a member
// that this library lacks is not zero).
template <class T>
Result<T> struct_of(const T* theirs, const char* what) {
  if (theirs == nullptr) return null_argument(what);
  std::size_t size = 0;
  std::memcpy(&size, theirs, sizeof size);
  if (size < sizeof size || size > (1U << 16U)) {
    return Error{ErrorCode::kInvalidArgument,
                 std::string(what) + " does not begin with its size: set the first member to sizeof"};
  }
  T ours{};
  std::memcpy(&ours, theirs, std::min(size, sizeof ours));
  const auto* bytes = reinterpret_cast<const unsigned char*>(theirs);
  for (std::size_t i = sizeof ours; i < size; ++i) {
    if (bytes[i] != 0) {
      return Error{ErrorCode::kInvalidArgument, std::string(what) + " has members that this library does not know"};
    }
  }
  return ours;
}

}  // namespace hearsay::c_api
