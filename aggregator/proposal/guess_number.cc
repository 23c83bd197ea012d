#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "aggregator/proposal/guess.h"
#include "common/base/number_text.h"

namespace hearsay::proposal {
namespace {

// Returns true if the text begins with a zero and another digit. Such a text is a code, such as a postal code.
bool is_code(std::string_view text) { return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9'; }

// Returns the ways of writing numbers with this decimal mark.
std::array<NumberStyle, 4> styles_with(char mark) {
  return {{{mark, std::nullopt}, {mark, mark == '.' ? ',' : '.'}, {mark, ' '}, {mark, '\''}}};
}

struct Numbers {
  Decimal min;
  Decimal max;
  int places = 0;  // the most digits after the decimal mark
  bool bounded = true;
};

int places_of(const Decimal& number) {
  int places = number.exact ? Decimal::kPlaces : Decimal::kPlaces + 1;
  Int128 rest = number.scaled;
  while (number.exact && places > 0 && rest % 10 == 0) rest /= 10, --places;
  return std::min(places, Decimal::kPlaces);
}

Numbers numbers_of(const Column& column, const NumberStyle& style) {
  Numbers numbers;
  for (const DistinctText& text : column.texts()) {
    const Decimal number = *decimal_from_text(text.text, style);
    const bool first = &text == &column.texts().front();
    if (first || number.scaled < numbers.min.scaled) numbers.min = number;
    if (first || number.scaled > numbers.max.scaled) numbers.max = number;
    numbers.places = std::max(numbers.places, places_of(number));
    const Int128 end = Decimal::kOne * Decimal::kOne;
    numbers.bounded = numbers.bounded && number.scaled < end && number.scaled > -end;
  }
  return numbers;
}

std::string power_of_ten(int power) {
  if (power >= 0) return "1" + std::string(static_cast<std::size_t>(power), '0');
  return "0." + std::string(static_cast<std::size_t>(-power - 1), '0') + "1";
}

// Returns true if the column seems to number rows or people. Its numbers are whole and all differ. Besides, its label
// has a word such as "id", or the numbers are consecutive or far apart.
bool are_identifiers(const Column& column, const Numbers& numbers) {
  constexpr std::array<std::string_view, 12> kNames{"id",   "nr",  "no",    "number", "key", "code",
                                                    "uuid", "row", "index", "phone",  "tel", "ssn"};
  constexpr std::size_t kManyRows = 20;
  if (numbers.places > 0 || column.texts().size() != column.present() || column.present() < 3) return false;
  std::string word;
  bool named = false;
  for (const char c : folded(column.label()) + " ") {
    const bool letter = (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) word += c;
    if (letter || word.empty()) continue;
    named = named || std::find(kNames.begin(), kNames.end(), word) != kNames.end();
    word.clear();
  }
  const Int128 span = (numbers.max.scaled - numbers.min.scaled) / Decimal::kOne + 1;
  const auto rows = static_cast<Int128>(column.present());
  return named || (column.present() >= kManyRows && (span == rows || span > rows * 1000));
}

Guess range(std::int64_t low, std::int64_t high, const Column& column, const GuessOptions& options) {
  Guess guess;
  guess.rule = {{"outside", "clamp"}};
  guess.attribute = {{"type", "range"}, {"min", low}, {"max", high}};
  if (column.missing() > 0) {
    guess.attribute["min"] = low - 1;
    guess.rule["missing"] = missing_rule(std::to_string(low - 1), options);
  }
  return guess;
}

std::string from_to(std::int64_t low, std::int64_t high) {
  return " from " + std::to_string(low) + " to " + std::to_string(high);
}

// Makes an integer range if the column has whole numbers only and the range is not too long. A wide range begins and
// ends at multiples of 5, so that its ends reveal less about single people.
std::optional<Guess> whole_numbers(const Numbers& numbers, const Column& column, const GuessOptions& options) {
  constexpr Int128 kWide = 50;
  constexpr Int128 kMultiple = 5;
  constexpr Int128 kMagnitude = Int128{1} << 52;
  Int128 low = numbers.min.scaled / Decimal::kOne;
  Int128 high = numbers.max.scaled / Decimal::kOne;
  if (numbers.places > 0 || high - low >= static_cast<Int128>(options.most_steps)) return std::nullopt;
  if (low < -kMagnitude || high > kMagnitude) return std::nullopt;
  std::string why = "all texts are whole numbers";
  if (high - low >= kWide) {
    low -= ((low % kMultiple) + kMultiple) % kMultiple;
    high += (kMultiple - (((high % kMultiple) + kMultiple) % kMultiple)) % kMultiple;
    why += "; the ends are multiples of 5";
  }
  const auto least = static_cast<std::int64_t>(low);
  const auto most = static_cast<std::int64_t>(high);
  Guess guess = range(least, most, column, options);
  guess.rule["kind"] = "integer";
  guess.what = "whole numbers" + from_to(least, most);
  guess.why = why + "; numbers beyond an end count as the end" + missing_words(column, std::to_string(least - 1));
  return guess;
}

// Makes a range in steps of a power of ten. Takes the smallest power that gives at most options.most_steps values.
std::optional<Guess> steps(const Numbers& numbers, const Column& column, const GuessOptions& options) {
  constexpr Int128 kMagnitude = Int128{1} << 52;
  for (int power = -numbers.places; power < Decimal::kPlaces; ++power) {
    const std::string step = power_of_ten(power);
    const Decimal width = *decimal_from_text(step);
    const Int128 low = numbers.min.steps(width);
    const Int128 high = numbers.max.steps(width);
    if (high - low >= static_cast<Int128>(options.most_steps) || low < -kMagnitude || high > kMagnitude) continue;
    if (low == high) return std::nullopt;
    const auto least = static_cast<std::int64_t>(low);
    const auto most = static_cast<std::int64_t>(high);
    Guess guess = range(least, most, column, options);
    guess.rule["kind"] = "steps";
    guess.rule["step"] = step;
    guess.why = numbers.places > 0 ? "all texts are numbers" : "all texts are whole numbers, far apart";
    if (power == 0) {
      guess.what = "whole parts" + from_to(least, most);
      guess.why += "; the value v means at least v and below v + 1";
    } else {
      guess.attribute["unit"] = step;
      guess.what = "steps of " + step + from_to(least, most);
      guess.why += "; the value v means at least v × " + step + " and below (v + 1) × " + step;
    }
    guess.why += missing_words(column, std::to_string(least - 1));
    return guess;
  }
  return std::nullopt;
}

}  // namespace

bool is_number(const std::string& text, char decimal_mark) {
  const auto styles = styles_with(decimal_mark);
  return !is_code(text) && std::any_of(styles.begin(), styles.end(), [&text](const NumberStyle& style) {
    return decimal_from_text(text, style).has_value();
  });
}

std::optional<NumberStyle> style_of(const Column& column, char decimal_mark) {
  for (const NumberStyle& style : styles_with(decimal_mark)) {
    const bool all = std::all_of(column.texts().begin(), column.texts().end(), [&style](const DistinctText& text) {
      return !is_code(text.text) && decimal_from_text(text.text, style);
    });
    if (all) return style;
  }
  return std::nullopt;
}

bool leaves_mark_open(const Column& column) {
  const auto point = style_of(column, '.');
  const auto comma = style_of(column, ',');
  if (!point || !comma) return false;
  return std::any_of(column.texts().begin(), column.texts().end(), [&](const DistinctText& text) {
    const auto one = decimal_from_text(text.text, *point);
    const auto two = decimal_from_text(text.text, *comma);
    return one->scaled != two->scaled;
  });
}

std::optional<Outcome> guess_number(const Column& column, const GuessOptions& options, bool keep) {
  std::optional<NumberStyle> style = style_of(column, options.decimal_mark);
  if (!style && !options.only_that_mark) style = style_of(column, options.decimal_mark == '.' ? ',' : '.');
  if (!style) return std::nullopt;
  const Numbers numbers = numbers_of(column, *style);
  if (!keep && are_identifiers(column, numbers)) {
    return LeftOut{"whole numbers, a different one in every row: they identify people"};
  }
  if (!numbers.bounded) return LeftOut{"some numbers are beyond 10^18"};
  if (numbers.min.scaled == numbers.max.scaled) return LeftOut{"the same number in every row"};
  std::optional<Guess> guess = whole_numbers(numbers, column, options);
  if (!guess) guess = steps(numbers, column, options);
  if (!guess) return LeftOut{"the numbers are too large and too close together for an attribute"};
  if (style->decimal_mark != '.') guess->rule["decimal_mark"] = std::string(1, style->decimal_mark);
  if (style->grouping) guess->rule["grouping"] = std::string(1, *style->grouping);
  if (!options.only_that_mark && leaves_mark_open(column)) {
    guess->why += std::string("; '") + style->decimal_mark +
                  "' is read as the decimal mark, but could group thousands: say which with --decimal-mark";
  }
  return *guess;
}

}  // namespace hearsay::proposal
