#include <doctest/doctest.h>

#include "aggregator/measures/times.h"

namespace hearsay::measures {
namespace {

TEST_CASE("the parser reads dates, times with and without offset, and seconds") {
  CHECK(parse_time("1970-01-02").value() == 86'400);
  CHECK(parse_time("1970-01-02T00:00Z").value() == 86'400);
  CHECK(parse_time("1970-01-02T00:00:05Z").value() == 86'405);
  CHECK(parse_time("1970-01-02T01:00:00+01:00").value() == 86'400);
  CHECK(parse_time("1970-01-01T23:00-01:00").value() == 86'400);
  CHECK(parse_time("1970-01-02T01:30:07+01:30").value() == 86'407);
  CHECK(parse_time("1970-01-01T23:00:07-01:00").value() == 86'407);
  CHECK(parse_time("2000-02-29T23:59:59Z").value() == 951'868'799);
  CHECK(parse_time("1970-01-02T00:00:09").value() == 86'409);
  CHECK(parse_time("86400").value() == 86'400);
  CHECK(parse_time("1970-01-02", "Europe/Berlin").value() == 86'400 - 3'600);
  CHECK(parse_time("1970-01-02T01:00", "Europe/Berlin").value() == 86'400);
  for (const char* bad :
       {"", "yesterday", "2026-02-30", "2026-03-01T", "2026-03-01 06:00", "2026-03-01T25:00Z", "-5", "1969-12-31",
        "2026-03-01x", "2026-00-01", "2026-13-01", "2026-03-01T24:00Z", "2026-03-01T23:60Z", "2026-03-01T23:00:60Z",
        "2026-03-01T23:00+24:00", "2026-03-01T23:00+01:60"}) {
    CAPTURE(bad);
    CHECK(parse_time(bad).error().code == ErrorCode::kInvalidArgument);
  }
  // Clocks skip this hour in spring.
  CHECK(parse_time("2026-03-29T02:30", "Europe/Berlin").error().code == ErrorCode::kInvalidArgument);
  // This hour occurs twice in autumn.
  CHECK(parse_time("2026-10-25T02:30", "Europe/Berlin").error().code == ErrorCode::kInvalidArgument);
  CHECK_FALSE(parse_time("2026-03-01", "Europe/Atlantis"));
}

TEST_CASE("the text of a time is read back as the same time") {
  CHECK(time_text(86'405) == "1970-01-02T00:00:05Z");
  CHECK(parse_time(time_text(1'772'323'200)).value() == 1'772'323'200);
}

TEST_CASE("the local day on which clocks go forward has 23 hours") {
  const auto day = [](const char* text) { return parse_time(text, "Europe/Berlin").value(); };
  const Period whole{day("2026-03-28"), day("2026-03-31")};
  const auto days = periods("1d", "Europe/Berlin", whole, 3600);
  REQUIRE(days);
  REQUIRE(days->size() == 3);
  CHECK((*days)[0].to - (*days)[0].from == 24 * 3600);
  CHECK((*days)[1].to - (*days)[1].from == 23 * 3600);
  CHECK((*days)[2].to == whole.to);
  // A window of a UTC day begins in the middle of a local day.
  CHECK(periods("1d", "Europe/Berlin", whole, 86'400).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("the text of the beginning of a local day has no hour") {
  CHECK(local_text(1'772'323'200, "UTC").value() == "2026-03-01");
  CHECK(local_text(1'772'323'200, "Europe/Berlin").value() == "2026-03-01 01:00");
  CHECK(local_text(1'772'319'600, "Europe/Berlin").value() == "2026-03-01");
  CHECK(local_text(0, "Nowhere/Town").error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("periods follow each other to the end of the time range") {
  const auto some = periods("7d", "UTC", {0, 20 * 86'400}, 86'400);
  REQUIRE(some);
  REQUIRE(some->size() == 3);
  CHECK((*some)[1].from == 7 * 86'400);
  CHECK((*some)[2].to == 20 * 86'400);
  CHECK(periods("6h", "UTC", {0, 86'400}, 3'600).value().size() == 4);
  CHECK(periods("6h", "UTC", {0, 86'400}, 86'400).error().code == ErrorCode::kInvalidArgument);
  CHECK(periods("1h", "UTC", {0, 1001 * 3'600}, 3'600).error().code == ErrorCode::kLimitExceeded);
  for (const char* bad : {"", "d", "0d", "7", "7w", "-1d", "1.5d", "7dd"}) {
    CAPTURE(bad);
    CHECK_FALSE(periods(bad, "UTC", {0, 86'400}, 3'600));
  }
}

}  // namespace
}  // namespace hearsay::measures
