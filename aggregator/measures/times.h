// Reads and writes times as people write them, and divides a stretch of time into periods of days or hours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay::measures {

// Reads a time: "2026-03-01", "2026-03-01T06:00Z", "2026-03-01T06:00:00+01:00" (ISO 8601, extended format), or seconds
// since 1970 such as "1772323200". `zone` is a name of the IANA database, such as "Europe/Berlin" or "UTC". A date
// alone is the start of the day in this zone. A time of day without Z or offset is a local time in this zone. Errors:
// kInvalidArgument (the text is no such time, or a time before 1970; a local time that a change of clocks skips or
// repeats; the zone is not known).
Result<UnixSeconds> parse_time(std::string_view text, std::string_view zone = "UTC");

// Returns the time in UTC, such as "2026-03-01T06:00:00Z".
std::string time_text(UnixSeconds time);

// Returns the local time in `zone`: "2026-03-01" for the start of a day, and otherwise "2026-03-01 06:00". Errors:
// kInvalidArgument (the zone is not known).
Result<std::string> local_text(UnixSeconds time, std::string_view zone);

struct Period {
  UnixSeconds from;
  UnixSeconds to;
};

// Divides `whole` into periods of the length `every`, such as "7d", "1d" or "6h". The last period may be shorter. Days
// are local days of `zone`; a day with a change of clocks has more or fewer than 24 hours. `precision` is the length of
// the task's windows in seconds. Every period must begin at the start of a window. Errors: kInvalidArgument (`every` is
// no such length; the zone is not known; a period begins within a window, and the message names the period; `whole`
// ends after the year 9999), kLimitExceeded (more than 1,000 periods).
Result<std::vector<Period>> periods(std::string_view every, std::string_view zone, Period whole,
                                    std::uint64_t precision);

}  // namespace hearsay::measures
