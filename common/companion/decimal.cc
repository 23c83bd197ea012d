#include "common/companion/decimal.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/companion/cursor.h"

namespace hearsay {
namespace {

bool take_sign(std::string_view& text) {
  if (take_char(text, '-')) return true;
  take_char(text, '+');
  return false;
}

bool take_grouping(std::string_view& text, char grouping) {
  if (grouping != ' ') return take_char(text, grouping);
  constexpr std::array<std::string_view, 4> kSpaces{" ", "\u00a0", "\u2009", "\u202f"};
  return std::any_of(kSpaces.begin(), kSpaces.end(),
                     [&text](std::string_view space) { return take_prefix(text, space); });
}

// Takes the digits before the decimal mark. Returns nothing if the digits are grouped wrongly.
std::optional<std::string> take_whole(std::string_view& text, const NumberStyle& style) {
  std::string digits(take_digits(text));
  const std::size_t first = digits.size();
  if (!style.grouping || first == 0) return digits;
  while (take_grouping(text, *style.grouping)) {
    const std::string_view group = take_digits(text);
    if (group.size() != 3 || first > 3) return std::nullopt;
    digits += group;
  }
  return digits;
}

// Takes the exponent. Caps an exponent that is larger than the length of any text. Returns nothing if there are no
// digits.
std::optional<std::int64_t> take_exponent(std::string_view& text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  const bool negative = take_sign(text);
  const std::string_view digits = take_digits(text);
  if (digits.empty()) return std::nullopt;
  std::int64_t exponent = 0;
  for (const char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kMost / 10);
  return negative ? -exponent : exponent;
}

// Returns the number 0.d1d2d3… · 10^point. `digits` are d1, d2, …; d1 is not 0.
Decimal scaled(std::string_view digits, std::int64_t point, bool negative) {
  const auto zeros_from = [digits](std::int64_t place) {
    return digits.find_first_not_of('0', static_cast<std::size_t>(std::max<std::int64_t>(place, 0))) ==
           std::string_view::npos;
  };
  const Int128 sign = negative ? -1 : 1;
  if (point > Decimal::kPlaces) return {sign * Decimal::kOne * Decimal::kOne, false, zeros_from(point)};
  // The number of digits that the result keeps.
  const std::int64_t places = point + Decimal::kPlaces;
  Int128 value = 0;
  for (std::int64_t i = 0; i < places; ++i) {
    const bool there = static_cast<std::size_t>(i) < digits.size();
    value = value * 10 + (there ? digits[static_cast<std::size_t>(i)] - '0' : 0);
  }
  const bool exact = zeros_from(places);
  value *= sign;
  if (negative && !exact) value -= 1;
  return {value, exact, zeros_from(point)};
}

}  // namespace

Int128 Decimal::steps(const Decimal& step) const {
  const Int128 quotient = scaled / step.scaled;
  return scaled % step.scaled < 0 ? quotient - 1 : quotient;
}

std::optional<Decimal> decimal_from_text(std::string_view text, const NumberStyle& style) {
  const bool negative = take_sign(text);
  auto digits = take_whole(text, style);
  if (!digits) return std::nullopt;
  auto point = static_cast<std::int64_t>(digits->size());
  if (take_char(text, style.decimal_mark)) *digits += take_digits(text);
  if (digits->empty()) return std::nullopt;
  if (take_char(text, 'e') || take_char(text, 'E')) {
    const auto exponent = take_exponent(text);
    if (!exponent) return std::nullopt;
    point += *exponent;
  }
  if (!text.empty()) return std::nullopt;
  const std::size_t zeros = digits->find_first_not_of('0');
  if (zeros == std::string::npos) return Decimal{};
  return scaled(std::string_view(*digits).substr(zeros), point - static_cast<std::int64_t>(zeros), negative);
}

}  // namespace hearsay
