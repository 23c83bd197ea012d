// Exact non-negative fractions in lowest terms. Arithmetic that would overflow returns an error.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "hearsay/result.h"

namespace hearsay {

class Rational {
 public:
  Rational() = default;  // 0/1

  // Reduces num/den to lowest terms. Errors: kInvalidArgument if den is 0.
  static Result<Rational> create(std::uint64_t num, std::uint64_t den);

  // Reads plain decimal text: digits, optionally followed by a point and 1 to 6 digits ("1", "0.25"). No sign,
  // exponent, spaces or superfluous leading zeros. Errors: kInvalidArgument.
  static Result<Rational> parse_decimal(std::string_view text);

  // Reads a positive whole number or fraction: "32" or "64/3". Errors: kInvalidArgument.
  static Result<Rational> parse_fraction(std::string_view text);

  std::uint64_t num() const { return num_; }
  std::uint64_t den() const { return den_; }

  // The three operations are exact. Errors: kOverflow if the reduced fraction does not fit 64-bit integers.
  Result<Rational> plus(const Rational& other) const;
  Result<Rational> times(const Rational& other) const;
  Result<Rational> divided_by(const Rational& other) const;  // also kInvalidArgument, if `other` is 0

  std::strong_ordering operator<=>(const Rational& other) const;
  bool operator==(const Rational& other) const = default;

  // Returns the fraction as a double, up to rounding errors. Use approximate() for statistics and display only, not for
  // data that leaves the device.
  double approximate() const { return static_cast<double>(num_) / static_cast<double>(den_); }
  // Returns "32" or "64/3".
  std::string to_string() const;

 private:
  Rational(std::uint64_t num, std::uint64_t den) : num_(num), den_(den) {}
  std::uint64_t num_ = 0;
  std::uint64_t den_ = 1;
};

}  // namespace hearsay
