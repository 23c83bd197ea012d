// Tests that the audit finds mechanisms whose failures reveal something. The failures are planted in mechanisms that
// are private otherwise.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "aggregator/central/audit/central_audit.h"
#include "aggregator/central/audit/entries.h"
#include "aggregator/central/audit/sampled_loss.h"
#include "aggregator/central/laplace/adaptive_session.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

using tests::eps;
using tests::ratio;

const AuditSettings kSettings{eps("1"), eps("1"), 2, 2};

// Returns `base` plus the number of rows that are 1. The sensitivity is 1.
std::int64_t counted_from(std::int64_t base, const Rows& rows) {
  return base + std::count(rows.begin(), rows.end(), 1U);
}

template <class Statistic>
WorstPair worst_of(Statistic statistic) {
  const AuditedMechanism mechanism = integer_noise(kSettings, kReplace, false, ratio(1), statistic);
  return audit(mechanism, 1).value().worst;
}

TEST_CASE(
    "a session that refuses statistics above 2^61 is refuted if it refuses one of two neighbours, but a clamp is "
    "confirmed") {
  const auto refusing = [](std::int64_t base) {
    return worst_of([base](const Rows& rows) -> Result<std::int64_t> {
      const std::int64_t value = counted_from(base, rows);
      if (value > kLargestStatistic) return Error{ErrorCode::kLimitExceeded, "a statistic exceeds 2^61"};
      return value;
    });
  };
  for (const std::int64_t base : {kLargestStatistic - 1, kLargestStatistic}) {
    CHECK(refusing(base).verdict == Verdict::kRefuted);
    CHECK(refusing(base).infinite);
  }
  // There are at most two rows, so this session refuses no statistic.
  CHECK(refusing(kLargestStatistic - 2).verdict == Verdict::kConfirmed);
  CHECK(refusing(kLargestStatistic + 1).verdict == Verdict::kConfirmed);  // this session refuses every statistic
  for (const std::int64_t base : {kLargestStatistic - 2, kLargestStatistic - 1, kLargestStatistic}) {
    const WorstPair clamped = worst_of([base](const Rows& rows) -> Result<std::int64_t> {
      return std::min(counted_from(base, rows), kLargestStatistic);
    });
    CHECK(clamped.verdict == Verdict::kConfirmed);
    CHECK(clamped.low == (base < kLargestStatistic ? 1 : 0));
  }
}

TEST_CASE("an exception, the text of an error and the number of answers count as outputs") {
  const auto ones = [](const Rows& rows) { return counted_from(0, rows); };
  CHECK(worst_of([&](const Rows& rows) -> Result<std::int64_t> {
          if (ones(rows) == 2) throw std::runtime_error("two");
          return std::int64_t{0};
        }).infinite);
  CHECK(worst_of([&](const Rows& rows) -> Result<std::int64_t> {
          return Error{ErrorCode::kInvalidArgument, std::to_string(ones(rows))};
        }).infinite);
  CHECK(worst_of([&](const Rows& rows) -> Result<std::vector<std::int64_t>> {
          return std::vector<std::int64_t>(ones(rows) == 2 ? 2 : 1);
        }).infinite);
  CHECK(worst_of([](const Rows&) -> Result<std::int64_t> {
          return Error{ErrorCode::kInvalidArgument, "always the same"};
        }).verdict == Verdict::kConfirmed);
}

TEST_CASE("an error of the mechanism is an output, and a limit of the enumeration is an error of the audit") {
  const auto law = published_law<int>(Error{ErrorCode::kOverflow, "too many"});
  CHECK(std::get<Error>(*law).message == "too many");
  CHECK(published_law<int>(Error{ErrorCode::kDomainTooLarge, "too many"}).error().code == ErrorCode::kDomainTooLarge);
  CHECK(loss_of_errors<int>(*law, 3)->infinite);
  CHECK(loss_of_errors<int>(3, *law)->infinite);
  CHECK_FALSE(loss_of_errors<int>(*law, *law)->infinite);
  CHECK_FALSE(loss_of_errors<int>(3, 4));
}

TEST_CASE("if only one of two databases has a candidate, the loss is unbounded") {
  const OutputLaw two = exponential_law(ratio(1), std::array<std::uint64_t, 2>{0, 1}).value();
  const OutputLaw three = exponential_law(ratio(1), std::array<std::uint64_t, 3>{0, 1, 1}).value();
  CHECK(loss_between(three, two)->infinite);
  CHECK_FALSE(loss_between(two, three)->infinite);
  CHECK(loss_between(two, three)->outcomes[0].low.approximate() > 0);
  CHECK(loss_between(two, OutputLaw{})->infinite);
  CHECK(loss_between(OutputLaw{}, two)->infinite);
}

// A session with a planted fault: a statistic beyond 2^61 is an error.
class RefusingSession {
 public:
  explicit RefusingSession(Rows rows) : rows_(std::move(rows)) {}
  Result<std::vector<std::int64_t>> answer(const SessionQuery<Rows>& query, BitSource& bits) {
    HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(query.cost, query.sensitivity, kReplace));
    std::vector<std::int64_t> statistic = query.statistic(rows_);
    for (const std::int64_t value : statistic) {
      if (value > kLargestStatistic) return Error{ErrorCode::kLimitExceeded, "a statistic exceeds 2^61"};
    }
    return laplace.release(statistic, bits);
  }

 private:
  Rows rows_;
};

struct CurrentSession : AdaptiveSession<Rows> {
  explicit CurrentSession(Rows rows) : AdaptiveSession(std::move(rows), eps("1"), kReplace) {}
};

template <class Session>
Verdict verdict_on(const std::function<std::vector<std::int64_t>(const Rows&)>& statistic) {
  tests::CounterBitSource bits("sampled sessions");
  const LossOf loss = sampled_losses({2000, 3, 0.99999999}, [&](const Rows& rows, Answers& seen) -> Result<void> {
                        Session session(rows);
                        HEARSAY_TRY(auto answer, session.answer({statistic, 1, ratio(1), eps("1")}, bits));
                        seen.push_back(std::move(answer));
                        return {};
                      }).value();
  return audit(described(kSettings, kReplace, false, Evidence::kSampled, loss), 1).value().worst.verdict;
}

// If an outcome occurs in 1,000 of 1,000 runs for one database and in none for the other, the bound on the loss is
// ln(0.979/0.021) = 3.8. The audit refutes a private session with probability at most 1e-8.
TEST_CASE("sampling refutes sessions that refuse, throw or give answers of varying sizes, but not the real session") {
  const auto alice = [](const Rows& rows) { return counted_from(0, rows) > 0; };
  const auto large = [](const Rows& rows) { return std::vector{counted_from(kLargestStatistic, rows)}; };
  const auto throwing = [&](const Rows& rows) -> std::vector<std::int64_t> {
    if (alice(rows)) throw std::runtime_error("Alice");
    return {0};
  };
  const auto longer = [&](const Rows& rows) { return std::vector<std::int64_t>(alice(rows) ? 2 : 1); };
  CHECK(verdict_on<RefusingSession>(large) == Verdict::kRefuted);
  CHECK(verdict_on<RefusingSession>(throwing) == Verdict::kRefuted);
  CHECK(verdict_on<RefusingSession>(longer) == Verdict::kRefuted);
  CHECK(verdict_on<CurrentSession>(large) == Verdict::kNotRefuted);
  CHECK(verdict_on<CurrentSession>(throwing) == Verdict::kNotRefuted);
  CHECK(verdict_on<CurrentSession>(longer) == Verdict::kNotRefuted);
}

TEST_CASE("audits by sampling without runs, databases or a confidence are refused") {
  const Run run = [](const Rows&, Answers&) -> Result<void> { return {}; };
  for (const SamplePlan& plan : {SamplePlan{1, 2, 0.9}, {2, 0, 0.9}, {2, 2, 0}, {2, 2, 1}}) {
    CHECK(sampled_losses(plan, run).error().code == ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hearsay::central
