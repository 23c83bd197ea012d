// Times as people write them, and a task's time cut into periods of days or hours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay::measures {

// Seconds since 1970 from "2026-03-01", "2026-03-01T06:00Z", "2026-03-01T06:00:00+01:00" (ISO 8601, extended format) or
// "1772323200". A date alone is the start of that day in `zone`, a name of the IANA database such as "Europe/Berlin" or
// "UTC"; a time of day without Z or offset is local there, too. Errors: kInvalidArgument (text that is no such time; a
// local time that a change of clocks skips or repeats; a zone that is not known).
Result<UnixSeconds> parse_time(std::string_view text, std::string_view zone = "UTC");

// "2026-03-01T06:00:00Z".
std::string time_text(UnixSeconds time);

// The time in `zone`, for people: "2026-03-01" for the start of a day, else "2026-03-01 06:00". Errors:
// kInvalidArgument (a zone that is not known).
Result<std::string> local_text(UnixSeconds time, std::string_view zone);

struct Period {
  UnixSeconds from;
  UnixSeconds to;
};

// The periods of "7d", "1d" or "6h" from `from` to `to`, the last one perhaps shorter. Days are days of `zone`, of 23
// to 25 hours where its clocks change. `precision`: every period must begin with a window of the task. Errors:
// kInvalidArgument (text that is no such length; a zone that is not known; a period that begins within a window: the
// message names it), kLimitExceeded (more than 1,000 periods).
Result<std::vector<Period>> periods(std::string_view every, std::string_view zone, Period whole,
                                    std::uint64_t precision);

}  // namespace hearsay::measures
