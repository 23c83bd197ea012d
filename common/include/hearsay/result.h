// The return type of functions that can fail: a value, or the error that explains why there is no value.
#pragma once

#if __cplusplus < 202002L
#error "Hearsay's headers need C++20: compile with -std=c++20"
#endif

#include <utility>
#include <variant>

#include "hearsay/error.h"

namespace hearsay {

// Holds either a T or an Error. Test the result before you read the result:
//
//     const Result<Epsilon> epsilon = Epsilon::parse(text);
//     if (!epsilon) return epsilon.error();
//     use(*epsilon);
//
// Reading the value of a result that holds an error throws std::bad_variant_access. Reading the error of a result that
// holds a value does so too.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  // Returns true if there is a value.
  explicit operator bool() const { return state_.index() == 0; }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Holds either success, without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<std::monostate, Error> state_;
};

}  // namespace hearsay
