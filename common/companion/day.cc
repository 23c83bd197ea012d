#include "common/companion/day.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/companion/cursor.h"

namespace hearsay {
namespace {

constexpr std::size_t kYearDigits = 4;

// Takes up to `most` digits from the beginning of the text and returns their number. Returns nothing if there are fewer
// than `least` digits.
std::optional<unsigned> take_number(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t size = 0;
  unsigned number = 0;
  while (size < std::min(text.size(), most) && is_decimal_digit(text[size])) {
    number = number * 10 + static_cast<unsigned>(text[size++] - '0');
  }
  if (size < least) return std::nullopt;
  text.remove_prefix(size);
  return number;
}

// Takes a number below `end` that has from `least` to two digits.
bool take_below(std::string_view& text, std::size_t least, unsigned end) {
  const auto number = take_number(text, least, 2);
  return number && *number < end;
}

bool is_time_of_day(std::string_view text) {
  if (!take_below(text, 1, 24) || !take_char(text, ':') || !take_below(text, 2, 60)) return false;
  if (take_char(text, ':')) {
    if (!take_below(text, 2, 61)) return false;  // 60 is a leap second
    if (take_char(text, '.') || take_char(text, ',')) {
      if (take_digits(text).empty()) return false;
    }
  }
  if (text == " AM" || text == " PM" || text == " am" || text == " pm") return true;
  if (text.empty() || text == "Z") return true;
  if (!take_char(text, '+') && !take_char(text, '-')) return false;
  if (!take_below(text, 2, 24)) return false;
  take_char(text, ':');
  return text.empty() || (take_below(text, 2, 60) && text.empty());
}

std::optional<std::chrono::sys_days> day_of(unsigned year, unsigned month, unsigned day) {
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (year == 0 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

// Takes a day that is written as YYYYMMDD.
std::optional<std::chrono::sys_days> take_eight_digits(std::string_view& text) {
  constexpr std::size_t kDigits = 8;
  std::string_view digits = take_digits(text);
  if (digits.size() != kDigits) return std::nullopt;
  const auto number = take_number(digits, kDigits, kDigits);
  return day_of(*number / 10'000, *number / 100 % 100, *number % 100);
}

std::optional<std::chrono::sys_days> take_day(std::string_view& text, DateOrder order) {
  const std::size_t first_mark = text.find_first_of("-/.");
  if (order == DateOrder::kYearMonthDay && first_mark != kYearDigits) return take_eight_digits(text);
  if (first_mark == std::string_view::npos) return std::nullopt;
  const char mark = text[first_mark];
  std::array<unsigned, 3> numbers{};
  const std::size_t year = order == DateOrder::kYearMonthDay ? 0 : 2;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && !take_char(text, mark)) return std::nullopt;
    const auto number = take_number(text, i == year ? kYearDigits : 1, i == year ? kYearDigits : 2);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  if (order == DateOrder::kYearMonthDay) std::swap(numbers[0], numbers[2]);  // day, month, year
  if (order == DateOrder::kMonthDayYear) std::swap(numbers[0], numbers[1]);
  return day_of(numbers[2], numbers[1], numbers[0]);
}

}  // namespace

std::optional<std::chrono::sys_days> day_from_text(std::string_view text, DateOrder order) {
  if (text.empty()) return std::nullopt;
  const auto day = take_day(text, order);
  if (!day || text.empty()) return day;
  if ((!take_char(text, ' ') && !take_char(text, 'T')) || !is_time_of_day(text)) return std::nullopt;
  return day;
}

}  // namespace hearsay
