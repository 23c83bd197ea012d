#include "aggregator/central/parity/parity_learner.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

// Returns all rows equally often. Of each row, a share wrong/(right + wrong) has the wrong label.
ReleasedRows noisy_rows(unsigned attributes, BitRow hidden, std::uint64_t right, std::uint64_t wrong) {
  std::vector<std::uint64_t> counts;
  for (BitRow row = 0; row < BitRow{1} << attributes; ++row) {
    counts.push_back(agrees(row, hidden, attributes) ? right : wrong);
  }
  return ReleasedRows::create(attributes, std::move(counts)).value();
}

TEST_CASE("the probability of Lemma 6.1 is the probability of an even number of wrong labels") {
  for (const double rate : {0.0, 0.059, 0.3, 0.5, 0.9}) {
    for (unsigned rows = 0; rows <= 10; ++rows) {
      double even = 0;
      for (unsigned pattern = 0; pattern < 1U << rows; ++pattern) {
        double probability = 1;
        unsigned wrong = 0;
        for (unsigned i = 0; i < rows; ++i) {
          const bool is_wrong = (pattern >> i & 1U) != 0;
          probability *= is_wrong ? rate : 1 - rate;
          wrong += is_wrong ? 1 : 0;
        }
        if (wrong % 2 == 0) even += probability;
      }
      CHECK(label_sum_correct(rows, rate) == doctest::Approx(even).epsilon(1e-12));
    }
  }
}

TEST_CASE("without noise one vote finds every vector") {
  tests::CounterBitSource bits("noise-free");
  const ParityPlan plan = plan_parity(6, 0, 0.1).value();
  for (BitRow hidden = 0; hidden < 32; ++hidden) {
    const LearnedParity learned = learn_parity(noisy_rows(6, hidden, 5, 0), {plan.samples, 1}, bits).value();
    CHECK(learned.vector == hidden);
  }
}

// The plan is for 5 attributes, the noise rate η = 0.1 and δ = 0.2. At most a share δ of 1,000 runs finds a wrong
// vector (false alarm 1e-6). A vote draws the stated number of rows. A vote repeats its draw with probability below
// 2^-10.
TEST_CASE("the planned numbers of rows and votes find the vector with the stated probability") {
  tests::CounterBitSource bits("planned");
  const ReleasedRows rows = noisy_rows(5, 0b1011, 9, 1);
  const ParityPlan plan = plan_parity(5, 0.1, 0.2).value();
  CHECK(plan.votes == 37);  // with d = 5, γ = 0.8⁴/2 = 0.2048 and ln(4/0.2)/(2γ²) = 35.7, so 36, made odd
  CHECK(plan.samples == 14);
  CHECK(plan.rows(5) == 4 * 14 * 37);
  std::uint64_t failures = 0;
  std::uint64_t drawn = 0;
  for (int run = 0; run < 1000; ++run) {
    const LearnedParity learned = learn_parity(rows, plan, bits).value();
    if (learned.vector != 0b1011) ++failures;
    drawn += learned.rows_drawn;
  }
  CHECK(failures <= tests::binomial_band(1000, 0.2, 2e-6).high);
  CHECK(drawn >= 1000 * plan.rows(5));
  CHECK(static_cast<double>(drawn) < 1.003 * 1000 * static_cast<double>(plan.rows(5)));
}

// There are d = 2 attributes with the label, and the noise rate is η. So a vote is the label of one row. Such a vote is
// right with probability 1 - η, by Lemma 6.1 with the exponent d - 1 = 1. With the printed exponent d - 2 = 0 the vote
// would always be right. There are 40,001 votes (false alarm 1e-9).
TEST_CASE("a vote adds up d - 1 labels, but the paper says d - 2") {
  tests::CounterBitSource bits("exponent");
  const LearnedParity learned = learn_parity(noisy_rows(2, 1, 3, 1), {11, 40'001}, bits).value();
  const auto right = static_cast<std::uint64_t>(std::llround(learned.ones[0] * 40'001));
  CHECK(tests::binomial_band(40'001, label_sum_correct(1, 0.25), 1e-9).contains(right));
  CHECK(label_sum_correct(0, 0.25) == 1);
}

// With d attributes and the noise rate η, the share of right votes is at least 1/2 + (1-2η)^(d-1)/2, within 6 standard
// errors. On average a vote adds up fewer labels, so the share is clearly larger.
TEST_CASE("votes are right with at least the probability of Lemma 6.1") {
  tests::CounterBitSource bits("votes");
  constexpr std::uint32_t kVotes = 20'001;
  for (const unsigned attributes : {3U, 5U, 8U}) {
    const BitRow hidden = (BitRow{1} << (attributes - 1)) - 1;
    const LearnedParity learned =
        learn_parity(noisy_rows(attributes, hidden, 9, 1), {attributes + 9, kVotes}, bits).value();
    for (const double ones : learned.ones) {
      CHECK(ones > label_sum_correct(attributes - 1, 0.1) - 6 * 0.5 / std::sqrt(kVotes));
      CHECK(ones < label_sum_correct(1, 0.1) + 6 * 0.5 / std::sqrt(kVotes));
    }
  }
}

// The paper's section 8.2 has 10^5 rows, 8 attributes, α = 0.01 and 32 samples a vote. The test tries the printed noise
// and the noise for replacement, in 20 releases each, with 1,001 votes for each attribute.
TEST_CASE("the paper's experiment learns its vector from the release") {
  tests::CounterBitSource bits("learning experiment");
  constexpr BitRow kHidden = 0b1100000;
  std::vector<BitRow> data;
  for (int i = 0; i < 100'000; ++i) {
    const auto row = static_cast<BitRow>(bits.bits(7));
    data.push_back(agrees(row, kHidden, 8) ? row : row | 128U);
  }
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplaceOne}) {
    const auto mechanism = ParityRelease::create(Epsilon::parse("0.01").value(), neighbours, 8).value();
    for (int run = 0; run < 20; ++run) {
      const ReleasedRows rows = mechanism.release(data, bits).value();
      CHECK(learn_parity(rows, {32, 1001}, bits).value().vector == kHidden);
      CHECK(rows.worst_noise_rate(kHidden) > rows.noise_rate(kHidden));
    }
  }
}

TEST_CASE("plans and rows from which nothing can be learnt are refused") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double rate : {-0.1, 0.5, 1.0, kNan}) {
    CHECK(plan_parity(8, rate, 0.1).error().code == ErrorCode::kInvalidArgument);
  }
  for (const double delta : {0.0, 1.0, -1.0, kNan}) {
    CHECK(plan_parity(8, 0.1, delta).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(plan_parity(1, 0.1, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(plan_parity(21, 0.1, 0.1).error().code == ErrorCode::kInvalidArgument);
  CHECK(plan_parity(20, 0.49, 0.1).error().code == ErrorCode::kLimitExceeded);
  CHECK(plan_parity(8, 0.1, 1e-300).value().votes > 1000);
  tests::CounterBitSource bits("refused plans");
  const ReleasedRows rows = noisy_rows(4, 5, 9, 1);
  CHECK(learn_parity(rows, {2, 1}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(learn_parity(rows, {13, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(learn_parity(rows, {4'000'000'000U, 1}, bits).error().code == ErrorCode::kLimitExceeded);
  CHECK(learn_parity(rows, {13, 4'000'000'000U}, bits).error().code == ErrorCode::kLimitExceeded);
  // All rows are zero, so nothing can be learnt.
  const ReleasedRows zeros = ReleasedRows::create(3, {7, 0, 0, 0, 0, 0, 0, 0}).value();
  CHECK(learn_parity(zeros, {12, 1}, bits).error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::central
