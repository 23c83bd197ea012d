#include <doctest/doctest.h>

#include "common/channel/channel.h"
#include "common/report/report.h"
#include "sdk/randomize/randomizer.h"
#include "tests/support/bit_sources.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using tests::kTaskStart;

// Grants everything and counts.
class CountingLedger final : public Ledger {
 public:
  Result<void> debit(const Epsilon& epsilon) override {
    if (refuse) return Error{ErrorCode::kBudgetExhausted, "spent"};
    ++debits;
    last = epsilon.to_string();
    return {};
  }
  bool refuse = false;
  int debits = 0;
  std::string last;
};

struct Fixture {
  Task task = tests::small_task("b c3 r5", "0.5");
  CountingLedger ledger;
  tests::CounterBitSource bits{"randomizer"};
  Randomizer randomizer{task, ledger};
  Record record = Record::create(task.schema(), {1, 2, 3}).value();
};

TEST_CASE_FIXTURE(Fixture, "the same record gives the same bytes for one debit") {
  const auto first = randomizer.report(record, kTaskStart + 5, bits);
  REQUIRE(first);
  const auto consumed = bits.consumed();
  const auto again = randomizer.report(Record::create(task.schema(), {1, 2, 3}).value(), kTaskStart + 99'999, bits);
  REQUIRE(again);
  CHECK(*again == *first);
  CHECK(bits.consumed() == consumed);
  CHECK(ledger.debits == 1);
  CHECK(ledger.last == "0.5");
}

TEST_CASE_FIXTURE(Fixture, "the report is one of the task, at the window's time") {
  const auto bytes = randomizer.report(record, kTaskStart + 5, bits);
  REQUIRE(bytes);
  std::span<const std::uint8_t> rest(*bytes);
  const auto report = read_report(rest);
  REQUIRE(report);
  CHECK(rest.empty());
  CHECK(report->time == kTaskStart);
  CHECK(task.channel().check(report->payload));
}

TEST_CASE_FIXTURE(Fixture, "another record is refused without a bit, a debit or a trace") {
  const auto first = randomizer.report(record, kTaskStart, bits);
  REQUIRE(first);
  const auto consumed = bits.consumed();
  const auto second = randomizer.report(Record::create(task.schema(), {0, 2, 3}).value(), kTaskStart, bits);
  REQUIRE(!second);
  CHECK(second.error().code == ErrorCode::kBudgetExhausted);
  CHECK(bits.consumed() == consumed);
  CHECK(ledger.debits == 1);
  CHECK(*randomizer.report(record, kTaskStart, bits) == *first);
}

TEST_CASE_FIXTURE(Fixture, "a record of another schema costs nothing") {
  const Record foreign = Record::create(tests::schema_of("b c4 r5"), {1, 3, 3}).value();
  const auto report = randomizer.report(foreign, kTaskStart, bits);
  REQUIRE(!report);
  CHECK(report.error().code == ErrorCode::kInvalidRecord);
  CHECK(bits.consumed() == 0);
  CHECK(ledger.debits == 0);
}

TEST_CASE_FIXTURE(Fixture, "without budget no bit is drawn") {
  ledger.refuse = true;
  const auto report = randomizer.report(record, kTaskStart, bits);
  REQUIRE(!report);
  CHECK(report.error().code == ErrorCode::kBudgetExhausted);
  CHECK(bits.consumed() == 0);
}

TEST_CASE_FIXTURE(Fixture, "without entropy there is no report, now or from memory") {
  tests::FailingBitSource dead;
  const auto report = randomizer.report(record, kTaskStart, dead);
  REQUIRE(!report);
  CHECK(report.error().code == ErrorCode::kEntropyFailed);
  CHECK(ledger.debits == 1);
  REQUIRE(randomizer.report(record, kTaskStart, bits));
  CHECK(ledger.debits == 2);
}

TEST_CASE_FIXTURE(Fixture, "outside the task's lifetime nothing is paid") {
  const auto early = randomizer.report(record, kTaskStart - 1, bits);
  REQUIRE(!early);
  CHECK(early.error().code == ErrorCode::kReportTooEarly);
  const auto late = randomizer.report(record, task.end(), bits);
  REQUIRE(!late);
  CHECK(late.error().code == ErrorCode::kTaskExpired);
  CHECK(ledger.debits == 0);
}

}  // namespace
}  // namespace hearsay::sdk
