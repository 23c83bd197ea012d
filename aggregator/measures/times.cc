#include "aggregator/measures/times.h"

#include <date/tz.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <optional>
#include <sstream>

#include "common/base/try.h"

namespace hearsay::measures {
namespace {

using std::chrono::seconds;

constexpr std::size_t kMaxPeriods = 1000;
constexpr UnixSeconds kLatest = 253'402'300'799;  // the end of the year 9999

Error bad(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<const date::time_zone*> zone_named(std::string_view name) {
  try {
    return date::locate_zone(std::string(name));
  } catch (const std::exception&) {
    return bad("there is no time zone '" + std::string(name) + "': name one such as Europe/Berlin or UTC");
  }
}

// The shapes of times, with 9 for a digit and + for either sign.
constexpr std::string_view kWithOffset[] = {"9999-99-99T99:99:99Z", "9999-99-99T99:99Z", "9999-99-99T99:99:99+99:99",
                                            "9999-99-99T99:99+99:99"};
constexpr std::string_view kLocal[] = {"9999-99-99", "9999-99-99T99:99:99", "9999-99-99T99:99"};

bool has_shape(std::string_view text, std::string_view shape) {
  const auto fits = [](char c, char wanted) {
    if (wanted == '9') return c >= '0' && c <= '9';
    if (wanted == '+') return c == '+' || c == '-';
    return c == wanted;
  };
  return std::equal(text.begin(), text.end(), shape.begin(), shape.end(), fits);
}

// Returns the number of `digits` digits at `place` of the text, or 0 if `place` is behind the end.
int number_at(std::string_view text, std::size_t place, std::size_t digits = 2) {
  int number = 0;
  if (place < text.size()) std::from_chars(text.data() + place, text.data() + place + digits, number);
  return number;
}

// Reads a text of this shape as UTC, and subtracts the offset in the text. Returns nothing if the text has another
// shape, or if there is no such date or time.
std::optional<seconds> parsed(std::string_view text, std::string_view shape) {
  if (!has_shape(text, shape)) return std::nullopt;
  constexpr std::size_t kHour = 11;
  constexpr std::size_t kMinute = 14;
  constexpr std::size_t kSecond = 17;
  const date::year_month_day day(date::year(number_at(text, 0, 4)),
                                 date::month(static_cast<unsigned>(number_at(text, 5))),
                                 date::day(static_cast<unsigned>(number_at(text, 8))));
  const bool has_seconds = shape.size() > kSecond && shape[kSecond - 1] == ':';
  const std::size_t sign = shape.find('+');
  const auto time = [&](std::size_t hour, std::size_t minute, int second) -> std::optional<seconds> {
    const int hours = number_at(text, hour);
    const int minutes = number_at(text, minute);
    if (hours > 23 || minutes > 59 || second > 59) return std::nullopt;
    return std::chrono::hours(hours) + std::chrono::minutes(minutes) + seconds(second);
  };
  const auto clock = time(kHour, kMinute, has_seconds ? number_at(text, kSecond) : 0);
  const auto offset = sign == std::string_view::npos ? seconds(0) : time(sign + 1, sign + 4, 0);
  if (!day.ok() || !clock || !offset) return std::nullopt;
  const seconds local = date::sys_days(day).time_since_epoch() + *clock;
  return sign != std::string_view::npos && text[sign] == '-' ? local + *offset : local - *offset;
}

Result<UnixSeconds> in_range(std::int64_t time, std::string_view text) {
  if (time >= 0) return static_cast<UnixSeconds>(time);
  return bad("'" + std::string(text) + "' lies before 1970");
}

Result<date::sys_seconds> to_utc(const date::time_zone& zone, date::local_seconds local, std::string_view text) {
  try {
    return zone.to_sys(local);
  } catch (const std::exception&) {
    return bad("'" + std::string(text) + "' is skipped or repeated by a change of clocks in " + zone.name() +
               ": give an offset, such as +01:00");
  }
}

struct Length {
  std::uint32_t number;
  bool is_days;
};

Result<Length> length_of(std::string_view text) {
  Length length{0, text.ends_with('d')};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), length.number);
  const bool is_good = failed == std::errc() && end + 1 == text.data() + text.size() && (*end == 'd' || *end == 'h');
  if (is_good && length.number > 0 && length.number <= 3660) return length;
  return bad("'" + std::string(text) + "' is no length of a period: give days or hours, such as 7d or 6h");
}

// Days are local days, counted from the local time of `from`.
UnixSeconds start_of(const date::time_zone& zone, UnixSeconds from, Length length, std::uint64_t number) {
  if (!length.is_days) return from + number * length.number * 3600;
  const date::local_seconds first = zone.to_local(date::sys_seconds(seconds(static_cast<std::int64_t>(from))));
  const date::local_seconds local = first + date::days(static_cast<std::int64_t>(number * length.number));
  return static_cast<UnixSeconds>(zone.to_sys(local, date::choose::earliest).time_since_epoch().count());
}

}  // namespace

Result<UnixSeconds> parse_time(std::string_view text, std::string_view zone_name) {
  UnixSeconds number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc() && end == text.data() + text.size()) return number;
  for (const std::string_view shape : kWithOffset) {
    if (const auto time = parsed(text, shape)) return in_range(time->count(), text);
  }
  HEARSAY_TRY(const date::time_zone* zone, zone_named(zone_name));
  for (const std::string_view shape : kLocal) {
    if (const auto local = parsed(text, shape)) {
      HEARSAY_TRY(const date::sys_seconds time, to_utc(*zone, date::local_seconds(*local), text));
      return in_range(time.time_since_epoch().count(), text);
    }
  }
  return bad("'" + std::string(text) +
             "' is no time: give a date such as 2026-03-01, a time such as 2026-03-01T06:00Z, or whole seconds since "
             "1970");
}

std::string time_text(UnixSeconds time) {
  if (time > kLatest) return std::to_string(time);
  return date::format("%FT%TZ", date::sys_seconds(seconds(static_cast<std::int64_t>(time))));
}

Result<std::string> local_text(UnixSeconds time, std::string_view zone_name) {
  HEARSAY_TRY(const date::time_zone* zone, zone_named(zone_name));
  if (time > kLatest) return std::to_string(time);
  const date::local_seconds local = zone->to_local(date::sys_seconds(seconds(static_cast<std::int64_t>(time))));
  return date::format(local == date::floor<date::days>(local) ? "%F" : "%F %R", local);
}

Result<std::vector<Period>> periods(std::string_view every, std::string_view zone_name, Period whole,
                                    std::uint64_t precision) {
  HEARSAY_TRY(const Length length, length_of(every));
  HEARSAY_TRY(const date::time_zone* zone, zone_named(zone_name));
  if (whole.to > kLatest) return bad("periods end in the year 9999 at the latest");
  std::vector<Period> result;
  for (UnixSeconds from = whole.from; from < whole.to;) {
    if (result.size() == kMaxPeriods) {
      return Error{ErrorCode::kLimitExceeded,
                   "there are more than 1,000 periods: make `every` longer, or the range shorter"};
    }
    if (from % precision != 0) {
      return bad("the period from " + time_text(from) + " begins within one of the task's windows of " +
                 std::to_string(precision) +
                 " seconds: name a time zone whose days begin with a window, or a range that begins with a window");
    }
    const UnixSeconds next = start_of(*zone, whole.from, length, result.size() + 1);
    result.push_back({from, std::min(next, whole.to)});
    from = next;
  }
  return result;
}

}  // namespace hearsay::measures
