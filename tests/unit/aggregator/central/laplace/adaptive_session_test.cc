#include "aggregator/central/laplace/adaptive_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "aggregator/central/laplace/histogram.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/unit/aggregator/central/laplace/laws.h"
#include "tests/unit/aggregator/central/laplace/small_databases.h"

namespace hearsay::central {
namespace {

using tests::CounterBitSource;
using tests::eps;
using tests::ratio;
using Statistic = std::vector<std::int64_t>;
using Session = AdaptiveSession<Rows>;
using Query = SessionQuery<Rows>;

std::int64_t count_of(const Rows& rows, std::uint32_t value) { return std::count(rows.begin(), rows.end(), value); }

Query count_query(std::uint32_t value, const char* cost) {
  return {[value](const Rows& rows) { return Statistic{count_of(rows, value)}; }, 1, ratio(1), eps(cost)};
}

TEST_CASE("a session answers ten queries that each cost a tenth of the budget, and refuses the eleventh") {
  CounterBitSource bits("session");
  for (const auto& [budget, tenth] : {std::pair{"1", "0.1"}, {"0.3", "0.03"}, {"0.00001", "0.000001"}, {"64", "6.4"}}) {
    Session session({0, 1, 1}, eps(budget), Neighbours::kReplaceOne);
    for (int i = 0; i < 10; ++i) CHECK(session.answer(count_query(1, tenth), bits));
    CHECK(session.ledger().spent() == exact(eps(budget)));
    CHECK(session.answer(count_query(1, tenth), bits).error().code == ErrorCode::kBudgetExhausted);
    CHECK(session.answer(count_query(1, "0.000001"), bits).error().code == ErrorCode::kBudgetExhausted);
    CHECK(session.ledger().spent() == exact(eps(budget)));
  }
}

TEST_CASE("a refused query costs nothing, and a cheaper query is still answered") {
  CounterBitSource bits("session cheaper");
  Session session({0, 1}, eps("1"), Neighbours::kReplaceOne);
  CHECK(session.answer(count_query(1, "0.7"), bits));
  CHECK(session.answer(count_query(1, "0.300001"), bits).error().code == ErrorCode::kBudgetExhausted);
  CHECK(session.answer(count_query(1, "0.3"), bits));
  CHECK(session.ledger().spent() == ratio(1));
}

TEST_CASE("a query is refused without reading the data and without noise") {
  tests::FailingBitSource none;
  Session session({0, 1}, eps("1"), Neighbours::kReplaceOne);
  int looks = 0;
  Query query{[&looks](const Rows&) {
                ++looks;
                return Statistic{0};
              },
              1, ratio(1), eps("1.5")};
  CHECK(session.answer(query, none).error().code == ErrorCode::kBudgetExhausted);
  CHECK(session.run(eps("2"), Neighbours::kReplaceOne, [&looks](const Rows&) { return ++looks; }).error().code ==
        ErrorCode::kBudgetExhausted);
  CHECK(session.run(eps("0.5"), Neighbours::kAddRemove, [&looks](const Rows&) { return ++looks; }).error().code ==
        ErrorCode::kInvalidArgument);
  query.cost = eps("0.5");
  query.sensitivity = ratio(0);
  CHECK(session.answer(query, none).error().code == ErrorCode::kInvalidArgument);
  query.sensitivity = ratio(std::uint64_t{1} << 60U);
  CHECK(session.answer(query, none).error().code == ErrorCode::kScaleTooLarge);
  query.sensitivity = ratio(1);
  query.dimension = 0;
  CHECK(session.answer(query, none).error().code == ErrorCode::kInvalidArgument);
  query.dimension = 1;
  query.statistic = nullptr;
  CHECK(session.answer(query, none).error().code == ErrorCode::kInvalidArgument);
  CHECK(looks == 0);
  CHECK(session.ledger().spent() == ratio(0));
}

TEST_CASE("a query that fails after it was charged stays charged") {
  tests::FailingBitSource none;
  Session session({0, 1}, eps("1"), Neighbours::kReplaceOne);
  CHECK_THROWS_AS((void)session.answer(count_query(1, "0.25"), none), EntropyError);
  CHECK(session.ledger().spent() == ratio(1, 4));
}

// Returns the session's answer about a database, always with the same random bits.
Result<Statistic> answer_about(const Rows& rows, const Query& query) {
  CounterBitSource bits("session about");
  Session session(rows, eps("64"), Neighbours::kReplaceOne);
  return session.answer(query, bits);
}

// Alice's record is 1. The statistic is base + 1 with Alice and base without her, so its sensitivity is 1.
TEST_CASE("a statistic beyond 2^61 is answered like 2^61, so the answer does not tell whether Alice is present") {
  const Rows without{0, 0};
  const Rows with{0, 1};
  for (const std::int64_t base : {kLargestStatistic - 1, kLargestStatistic, kLargestStatistic + 1,
                                  std::numeric_limits<std::int64_t>::max() - 1}) {
    for (const std::int64_t sign : {1, -1}) {
      const Query query{[=](const Rows& rows) { return Statistic{sign * (base + count_of(rows, 1))}; }, 1, ratio(1),
                        eps("1")};
      const auto there = answer_about(with, query);
      const auto gone = answer_about(without, query);
      REQUIRE(there);
      REQUIRE(gone);
      if (base >= kLargestStatistic) CHECK(*there == *gone);
    }
  }
}

// The analyst chooses when the function throws, and how many numbers it returns.
TEST_CASE("if a function throws or returns too few or too many numbers, the answer has the agreed number") {
  const auto when_alice = [](const Statistic& value) {
    return Query{[value](const Rows& rows) {
                   if (value.empty() && count_of(rows, 1) > 0) throw std::runtime_error("Alice earns 51,000");
                   return count_of(rows, 1) > 0 ? value : Statistic{0, 0};
                 },
                 2, ratio(1), eps("1")};
  };
  const Statistic gone = answer_about({0, 0}, when_alice({0, 0})).value();
  CHECK(gone.size() == 2);
  for (const Statistic& value : {Statistic{}, Statistic{0}, Statistic{0, 0, 7}}) {
    CHECK(answer_about({0, 1}, when_alice(value)).value() == gone);
  }
  const Query odd{[](const Rows&) -> Statistic { throw 7; }, 2, ratio(1), eps("1")};
  CHECK(answer_about({0, 0}, odd).value() == gone);
}

template <class Release>
concept CanRun = requires(Session& session, const Release& release) {
  session.run(eps("1"), Neighbours::kReplaceOne, release);
};

TEST_CASE("a release that could answer with an error is not accepted") {
  const auto always = [](const Rows&) { return 1; };
  const auto sometimes = [](const Rows& rows) -> Result<int> {
    if (count_of(rows, 1) > 0) return Error{ErrorCode::kLimitExceeded, "Alice is here"};
    return 1;
  };
  static_assert(CanRun<decltype(always)>);
  static_assert(!CanRun<decltype(sometimes)>);
}

TEST_CASE("if a release throws, the error tells nothing beyond the throw, and the session ends") {
  CounterBitSource bits("session throwing");
  Session session({0, 1}, eps("1"), Neighbours::kReplaceOne);
  const auto failed = session.run(eps("0.25"), Neighbours::kReplaceOne,
                                  [](const Rows&) -> int { throw std::runtime_error("Alice earns 51,000"); });
  CHECK(failed.error().code == ErrorCode::kInternal);
  CHECK(failed.error().message.find("Alice") == std::string::npos);
  CHECK(session.answer(count_query(1, "0.25"), bits).error().code == ErrorCode::kBudgetExhausted);
  CHECK(session.run(eps("0.25"), Neighbours::kReplaceOne, [](const Rows&) { return 1; }).error().code ==
        ErrorCode::kBudgetExhausted);
  tests::FailingBitSource none;
  Session other({0, 1}, eps("1"), Neighbours::kReplaceOne);
  const auto drawing = [&](const Rows&) { return none.bits(8); };
  CHECK_THROWS_AS((void)other.run(eps("0.25"), Neighbours::kReplaceOne, drawing), EntropyError);
}

TEST_CASE("other mechanisms spend from the same budget") {
  CounterBitSource bits("session histogram");
  Session session({0, 1, 2, 2}, eps("1"), Neighbours::kAddRemove);
  const Histogram histogram = Histogram::create(eps("0.75"), 3, Neighbours::kAddRemove).value();
  const auto release = [&](const Rows& rows) { return histogram.release(rows, bits); };
  CHECK(session.run(eps("0.75"), histogram.laplace().neighbours(), release).value().size() == 3);
  CHECK(session.run(eps("0.75"), histogram.laplace().neighbours(), release).error().code ==
        ErrorCode::kBudgetExhausted);
  CHECK(session.ledger().spent() == ratio(3, 4));
}

// If the first answer is positive, the second query equals the first. If not, the second query has twice the
// sensitivity and twice the scale. Over all neighbours and transcripts the largest joint log-ratio is ε = 0.9.
TEST_CASE("an adaptive session loses exactly its budget") {
  const auto laplace = [](const char* cost, std::uint64_t sensitivity) {
    return LaplaceMechanism::create(eps(cost), ratio(sensitivity), Neighbours::kReplaceOne).value();
  };
  const LaplaceMechanism first = laplace("0.4", 1);
  const LaplaceMechanism twin = laplace("0.5", 1);
  const LaplaceMechanism other = laplace("0.5", 2);
  const auto log_joint = [&](const Rows& rows, std::int64_t y, std::int64_t z) {
    const Statistic ones{count_of(rows, 1)};
    const Statistic weighted{2 * count_of(rows, 2)};
    return log_probability(first, ones, Statistic{y}) +
           (y > 0 ? log_probability(twin, ones, Statistic{z}) : log_probability(other, weighted, Statistic{z}));
  };
  double worst = 0;
  for_each_replacement(3, 3, [&](const Rows& rows, const Rows& neighbour) {
    for (std::int64_t y = -6; y <= 8; ++y) {
      for (std::int64_t z = -6; z <= 10; ++z) {
        worst = std::max(worst, log_joint(rows, y, z) - log_joint(neighbour, y, z));
      }
    }
  });
  CHECK(worst == doctest::Approx(0.9).epsilon(1e-12));
}

// In each of 4,000 runs the second query equals the first if the first answer exceeds 3.
TEST_CASE("the session answers the query that was chosen after the first answer") {
  CounterBitSource bits("session adaptive");
  const Rows rows{1, 1, 1, 2};
  double sum_of_twins = 0;
  double sum_of_others = 0;
  int twins = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    Session session(rows, eps("4"), Neighbours::kReplaceOne);
    const std::int64_t y = session.answer(count_query(1, "2"), bits).value()[0];
    const bool twin = y > 3;
    const std::int64_t z = session.answer(count_query(twin ? 1 : 2, "2"), bits).value()[0];
    twins += twin ? 1 : 0;
    (twin ? sum_of_twins : sum_of_others) += static_cast<double>(z);
  }
  // The noise has the variance 1/(2·sinh²(1)) = 0.362. The first answer y exceeds 3 with probability e^-2/(1+e^-2) =
  // 0.119. So about 477 runs ask the first query twice.
  const double deviation = std::sqrt(0.5) / std::sinh(1.0);
  CHECK(std::abs(sum_of_twins / twins - 3) < 6 * deviation / std::sqrt(twins));
  CHECK(std::abs(sum_of_others / (kRuns - twins) - 1) < 6 * deviation / std::sqrt(kRuns - twins));
}

}  // namespace
}  // namespace hearsay::central
