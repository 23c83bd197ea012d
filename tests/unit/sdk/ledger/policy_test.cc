#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

TEST_CASE("ten tenths fit into a budget of 1 and an eleventh does not, and the next period pays again") {
  const auto ledger = memory_ledger(policy_of(kDay, "1"));
  for (int i = 0; i < 10; ++i) CHECK(pay(*ledger, task_of("t" + std::to_string(i), "0.1"), 5 * kDay) == "reported");
  CHECK(pay(*ledger, task_of("t10", "0.1"), 5 * kDay) == "budget_exhausted");
  CHECK(pay(*ledger, task_of("t10", "0.1"), 6 * kDay) == "reported");
}

TEST_CASE("a refused payment costs nothing") {
  const auto ledger = memory_ledger(policy_of(0, "1"));
  CHECK(pay(*ledger, task_of("a", "1.000001"), 1) == "budget_exhausted");
  CHECK(pay(*ledger, task_of("b", "0.999999"), 1) == "reported");
  CHECK(pay(*ledger, task_of("c", "0.000002"), 1) == "budget_exhausted");
  CHECK(pay(*ledger, task_of("d", "0.000001"), 1) == "reported");
}

TEST_CASE("hundreds of different epsilons add up exactly") {
  const auto ledger = memory_ledger(policy_of(0, "32.197"));
  std::int64_t sum = 0;
  for (int i = 0; i < 500; ++i) {
    const int millionths = 64'001 + 2 * (i % 389);
    std::string digits = std::to_string(millionths);
    digits.insert(0, 6 - digits.size(), '0');
    while (digits.back() == '0') digits.pop_back();
    sum += millionths;
    const bool fits = sum <= 32'197'000;
    REQUIRE(pay(*ledger, task_of("t" + std::to_string(i), "0." + digits), 1) ==
            (fits ? "reported" : "budget_exhausted"));
    if (!fits) sum -= millionths;
  }
  std::string rest = std::to_string(32'197'000 - sum);
  REQUIRE(rest.size() <= 6);
  rest.insert(0, 6 - rest.size(), '0');
  while (rest.back() == '0') rest.pop_back();
  CHECK(pay(*ledger, task_of("rest", "0." + rest), 1) == "reported");
  CHECK(pay(*ledger, task_of("more", "0.000001"), 1) == "budget_exhausted");
}

TEST_CASE("in a period each task gets one report") {
  const auto ledger = memory_ledger(policy_of(kDay));
  const Task task = task_of("a", "2");
  CHECK(pay(*ledger, task, 3 * kDay) == "reported");
  bool looked = false;
  const auto again = ledger->pay(task, 4 * kDay - 1, [&]() -> Result<ReportBytes> {
    looked = true;
    return ReportBytes{9};
  });
  CHECK(outcome(again) == "already reported");
  CHECK(!looked);
  CHECK(pay(*ledger, task_of("b"), 3 * kDay) == "reported");
  CHECK(pay(*ledger, task, 4 * kDay) == "reported");
  CHECK(pay(*ledger, task, 3 * kDay) == "already reported");
}

TEST_CASE("without periods each task gets only one report, ever") {
  const auto ledger = memory_ledger(policy_of(0));
  CHECK(pay(*ledger, task_of("a"), 0) == "reported");
  CHECK(pay(*ledger, task_of("a"), 4'000'000'000) == "already reported");
}

TEST_CASE("if no report is made, nothing is paid") {
  const auto ledger = memory_ledger(policy_of(0));
  const Task task = task_of("a");
  const auto failed = ledger->pay(task, 1, []() -> Result<ReportBytes> {
    return Error{ErrorCode::kEntropyFailed, "none"};
  });
  CHECK(outcome(failed) == "entropy_failed");
  CHECK_THROWS(
      static_cast<void>(ledger->pay(task, 1, []() -> Result<ReportBytes> { throw std::runtime_error("none"); })));
  CHECK(ledger->outbox().log(10)->empty());
  CHECK(pay(*ledger, task, 1) == "reported");
  CHECK(ledger->outbox().log(10)->size() == 1);
}

TEST_CASE("a period has at least one second, and at most the length that the message states") {
  for (const std::int64_t seconds : {std::int64_t{0}, (std::int64_t{1} << 53) + 1, INT64_MAX}) {
    LedgerPolicy policy;
    policy.period = std::chrono::seconds(seconds);
    const auto refused = Ledger::in_memory(policy);
    CHECK(outcome(refused) == "invalid_argument");
    CHECK(refused.error().message.find("1 to 2^53 seconds") != std::string::npos);
  }
  CHECK(outcome(Ledger::in_memory(policy_of(std::uint64_t{1} << 53U))) == "ok");
}

}  // namespace
}  // namespace hearsay::sdk::tests
