#include "common/report/randomize.h"

#include <doctest/doctest.h>

#include <set>

#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"

namespace hearsay {
namespace {

constexpr std::uint64_t kHour = 3'600;
constexpr std::uint64_t kStart = 500'000 * kHour;
constexpr std::uint64_t kDuration = 10 * kHour;

Task task(std::string_view epsilon = "1") {
  return *Task::create({.title = "test",
                        .schema = *Schema::create({*Attribute::boolean("a"), *Attribute::categorical("c", {"x", "y"}),
                                                   *Attribute::range("r", 0, 2)}),
                        .arrangement = LiteralsSpec{},
                        .channel = LaplaceSpec{},
                        .epsilon = *Epsilon::parse(epsilon),
                        .task_start = kStart,
                        .task_duration = kDuration,
                        .time_precision = kHour,
                        .min_batch_size = 1});
}

Record record(const Task& of, std::vector<std::uint32_t> values = {1, 0, 2}) {
  return *Record::create(of.schema(), std::move(values));
}

TEST_CASE(
    "a report has the first 16 random bytes as its id, the window's time, and a payload that the channel accepts") {
  const Task t = task();
  tests::CounterBitSource bits("randomize");
  tests::CounterBitSource same_bits("randomize");
  const auto report = randomize(t, record(t), kStart + 3 * kHour + 17, bits);
  REQUIRE(report);
  ReportId id{};
  same_bits.fill(id.bytes);
  CHECK(report->id == id);
  CHECK(report->time == kStart + 3 * kHour);
  CHECK(t.channel().check(report->payload));
  // The channel draws the payload from the next bits.
  CHECK(report->payload == t.channel().randomize(t.arrangement(), record(t), same_bits));
  CHECK(bits.consumed() == same_bits.consumed());
}

TEST_CASE("every call makes another payload and another id") {
  const Task t = task();
  tests::CounterBitSource bits("every call");
  std::set<ReportId> ids;
  std::set<std::vector<std::uint8_t>> payloads;
  for (int i = 0; i < 100; ++i) {
    const auto report = randomize(t, record(t), kStart, bits);
    REQUIRE(report);
    ids.insert(report->id);
    payloads.insert(report->payload);
  }
  // With random bits, two of these payloads are equal with probability below 100²/2·(1/20)^5 = 0.002. The bits are
  // fixed.
  CHECK(ids.size() == 100);
  CHECK(payloads.size() == 100);
}

TEST_CASE("the system's bits give reports") {
  const Task t = task();
  const auto first = randomize(t, record(t), kStart, system_bit_source());
  const auto second = randomize(t, record(t), kStart, system_bit_source());
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->id != second->id);
}

TEST_CASE("a report is made only during the task's lifetime") {
  const Task t = task();
  tests::CounterBitSource bits("lifetime");
  const auto at = [&](UnixSeconds now) { return randomize(t, record(t), now, bits); };
  for (const UnixSeconds early : {UnixSeconds{0}, kStart - 1}) {
    const auto report = at(early);
    REQUIRE_FALSE(report);
    CHECK(report.error().code == ErrorCode::kReportTooEarly);
  }
  for (const UnixSeconds late : {kStart + kDuration, ~UnixSeconds{0}}) {
    const auto report = at(late);
    REQUIRE_FALSE(report);
    CHECK(report.error().code == ErrorCode::kTaskExpired);
  }
  CHECK(at(kStart - 1).error().message ==
        "the task starts at " + std::to_string(kStart) + "; the device's clock is at " + std::to_string(kStart - 1));
  CHECK(at(kStart * 1000).error().message.ends_with("which looks like milliseconds instead of seconds"));
  CHECK(bits.consumed() == 0);
  REQUIRE(at(kStart));
  CHECK(at(kStart)->time == kStart);
  REQUIRE(at(kStart + kDuration - 1));
  CHECK(at(kStart + kDuration - 1)->time == kStart + kDuration - kHour);
}

TEST_CASE("without entropy no report is made") {
  const Task t = task();
  tests::FailingBitSource none;
  const auto report = randomize(t, record(t), kStart, none);
  REQUIRE_FALSE(report);
  CHECK(report.error().code == ErrorCode::kEntropyFailed);
}

// The random bits may end at any length. At each length, all records succeed or all records fail.
TEST_CASE("whether the entropy suffices does not depend on the record") {
  const Task t = task();
  tests::CounterBitSource source("entropy that ends somewhere");
  std::vector<std::uint8_t> stream(400);
  source.fill(stream);
  bool failed = false;
  bool succeeded = false;
  for (std::size_t length = 0; length <= stream.size(); ++length) {
    std::set<bool> outcomes;
    std::set<std::size_t> used;
    for (std::uint32_t value = 0; value < 12; ++value) {
      const std::vector<std::uint8_t> bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(length));
      tests::ScriptedBitSource bits(bytes);
      const auto report = randomize(t, record(t, {value % 2, value / 2 % 2, value / 4}), kStart, bits);
      outcomes.insert(static_cast<bool>(report));
      used.insert(bits.remaining());
      if (!report) CHECK(report.error().code == ErrorCode::kEntropyFailed);
    }
    CHECK(outcomes.size() == 1);
    CHECK(used.size() == 1);
    (*outcomes.begin() ? succeeded : failed) = true;
  }
  CHECK(failed);
  CHECK(succeeded);
}

TEST_CASE("a record of another schema is refused before any bit is drawn, and the message has no value") {
  const Task t = task();
  tests::CounterBitSource bits("another schema");
  const auto few = *Schema::create({*Attribute::boolean("a")});
  const auto wide =
      *Schema::create({*Attribute::boolean("a"), *Attribute::range("c", 0, 77'776), *Attribute::boolean("r")});
  for (const Record& other : {*Record::create(few, {1}), *Record::create(wide, {0, 77'776, 0})}) {
    const auto report = randomize(t, other, kStart, bits);
    REQUIRE_FALSE(report);
    CHECK(report.error().code == ErrorCode::kInvalidRecord);
    CHECK(report.error().message.find("7777") == std::string::npos);
  }
  CHECK(bits.consumed() == 0);
}

}  // namespace
}  // namespace hearsay
