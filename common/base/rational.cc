#include "common/base/rational.h"

#include <charconv>
#include <limits>
#include <numeric>

#include "common/base/int128.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

Error overflow() { return {ErrorCode::kOverflow, "an exact fraction does not fit 64-bit integers"}; }

Uint128 gcd(Uint128 a, Uint128 b) {
  while (b != 0) {
    a %= b;
    std::swap(a, b);
  }
  return a;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Result<Rational> Rational::create(std::uint64_t num, std::uint64_t den) {
  if (den == 0) return Error{ErrorCode::kInvalidArgument, "the denominator of a fraction is zero"};
  const std::uint64_t common = std::gcd(num, den);
  return Rational(num / common, den / common);
}

Result<Rational> Rational::parse_decimal(std::string_view text) {
  constexpr std::size_t kMaxWhole = 20;    // 2^64 has 20 digits
  constexpr std::size_t kMaxDecimals = 6;  // the number that all digits form is below 10^26 < 2^128
  const Error malformed{ErrorCode::kInvalidArgument,
                        "not a plain decimal number of at most 6 decimals and below 2^64, such as 1 or 0.25"};
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || whole.size() > kMaxWhole || (whole.size() > 1 && whole[0] == '0')) return malformed;
  if (point != std::string_view::npos && (decimals.empty() || decimals.size() > kMaxDecimals)) return malformed;

  Uint128 num = 0;
  std::uint64_t den = 1;
  for (const char c : whole) {
    if (!is_digit(c)) return malformed;
    num = num * 10 + static_cast<std::uint64_t>(c - '0');
  }
  for (const char c : decimals) {
    if (!is_digit(c)) return malformed;
    num = num * 10 + static_cast<std::uint64_t>(c - '0');
    den *= 10;
  }
  const auto common = static_cast<std::uint64_t>(gcd(num, den));
  if (num / common > kMax) return malformed;
  return Rational(static_cast<std::uint64_t>(num / common), den / common);
}

Result<Rational> Rational::parse_fraction(std::string_view text) {
  std::uint64_t num = 0;
  std::uint64_t den = 1;
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, num);
  if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '/') {
    parsed = std::from_chars(parsed.ptr + 1, end, den);
  }
  if (parsed.ec != std::errc{} || parsed.ptr != end || num == 0) {
    return Error{ErrorCode::kInvalidArgument, "not a positive number like 32 or 64/3"};
  }
  return create(num, den);
}

// Let g = gcd(b, d) and t = a·(d/g) + c·(b/g). Then a/b + c/d = t/(b·(d/g)), and every common factor of this fraction
// divides g (Knuth, The Art of Computer Programming 2, 4.5.1). So if t exceeds 128 bits, the reduced result exceeds 64
// bits.
Result<Rational> Rational::plus(const Rational& other) const {
  const std::uint64_t g = std::gcd(den_, other.den_);
  const Uint128 left = Uint128{num_} * (other.den_ / g);
  const Uint128 t = left + Uint128{other.num_} * (den_ / g);
  if (t < left) return overflow();
  const auto common = static_cast<std::uint64_t>(gcd(t, g));
  const Uint128 num = t / common;
  const Uint128 den = Uint128{den_ / g} * (other.den_ / common);
  if (num > kMax || den > kMax) return overflow();
  return Rational(static_cast<std::uint64_t>(num), static_cast<std::uint64_t>(den));
}

Result<Rational> Rational::times(const Rational& other) const {
  const std::uint64_t first = std::gcd(num_, other.den_);
  const std::uint64_t second = std::gcd(other.num_, den_);
  const Uint128 num = Uint128{num_ / first} * (other.num_ / second);
  const Uint128 den = Uint128{den_ / second} * (other.den_ / first);
  if (num > kMax || den > kMax) return overflow();
  return Rational(static_cast<std::uint64_t>(num), static_cast<std::uint64_t>(den));
}

Result<Rational> Rational::divided_by(const Rational& other) const {
  if (other.num_ == 0) return Error{ErrorCode::kInvalidArgument, "division of a fraction by zero"};
  return times(Rational(other.den_, other.num_));
}

std::strong_ordering Rational::operator<=>(const Rational& other) const {
  return Uint128{num_} * other.den_ <=> Uint128{other.num_} * den_;
}

std::string Rational::to_string() const {
  std::string text = std::to_string(num_);
  if (den_ != 1) text += "/" + std::to_string(den_);
  return text;
}

}  // namespace hearsay
