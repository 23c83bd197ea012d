#include "aggregator/central/parity/block_learner.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/support/bit_sources.h"
#include "tests/support/statistics.h"

namespace hearsay::central {
namespace {

// Returns all rows equally often. Of each row, a share wrong/(right + wrong) has the wrong label.
ReleasedRows rows_with_noise(unsigned attributes, BitRow hidden, std::uint64_t right, std::uint64_t wrong) {
  std::vector<std::uint64_t> counts;
  for (BitRow row = 0; row < BitRow{1} << attributes; ++row) {
    counts.push_back(agrees(row, hidden, attributes) ? right : wrong);
  }
  return ReleasedRows::create(attributes, std::move(counts)).value();
}

TEST_CASE("without noise one vote finds every vector, for any number of blocks") {
  tests::CounterBitSource bits("noise-free blocks");
  for (std::uint32_t blocks = 1; blocks <= 5; ++blocks) {
    const BlockPlan plan = plan_parity_by_blocks(6, 0, 0.1, blocks).value();
    CHECK(plan.blocks * plan.width >= 5);
    CHECK((plan.blocks - 1) * plan.width < 5);
    for (BitRow hidden = 0; hidden < 32; ++hidden) {
      const BlockPlan one{plan.blocks, plan.width, plan.samples, 1};
      CHECK(learn_parity_by_blocks(rows_with_noise(6, hidden, 5, 0), one, bits)->vector == hidden);
    }
  }
}

// A vote over `a` blocks adds up 2^(a-1) labels, each wrong with probability 0.1. So the vote is right with the
// probability of Lemma 6.1. The false alarm is 1e-8 for each of 7 attributes and 3 plans. A vote draws the same row
// twice with probability below 1/8, which only helps.
TEST_CASE("votes are right with the probability of Lemma 6.1 for 2^(a-1) labels") {
  tests::CounterBitSource bits("block votes");
  constexpr std::uint32_t kVotes = 4001;
  const ReleasedRows rows = rows_with_noise(8, 0b1111111, 9, 1);
  for (const std::uint32_t blocks : {1U, 2U, 3U}) {
    BlockPlan plan = plan_parity_by_blocks(8, 0.1, 0.1, blocks).value();
    plan.votes = kVotes;
    const LearnedParity learned = learn_parity_by_blocks(rows, plan, bits).value();
    CHECK(learned.vector == 0b1111111);
    for (const double ones : learned.ones) {
      const auto right = static_cast<std::uint64_t>(std::llround(ones * kVotes));
      const double share = label_sum_correct(1U << (plan.blocks - 1), 0.1);
      CHECK(right >= tests::binomial_band(kVotes, share, 1e-8).low);
      CHECK(right <= tests::binomial_band(kVotes, share + 0.02, 1e-8).high);
    }
  }
}

TEST_CASE(
    "plans have the computed votes and rows, and under noise a learner with blocks needs fewer rows than elimination") {
  const BlockPlan plan = plan_parity_by_blocks(8, 0.1, 0.2, 2).value();
  CHECK(plan.width == 4);
  CHECK(plan.samples == 48);
  CHECK(plan.votes == 19);  // 0.8²/2 = 0.32; ln(7/0.2)/(2·0.32²) = 17.4, so 18, made odd
  CHECK(plan.rows(8) == 7 * 48 * 19);
  CHECK(plan_parity_by_blocks(6, 0, 0.1, 4)->blocks == 3);
  for (const unsigned attributes : {12U, 16U, 20U}) {
    const BlockPlan best = best_block_plan(attributes, 0.2, 0.05).value();
    const auto elimination = plan_parity(attributes, 0.2, 0.05);
    if (elimination) CHECK(best.rows(attributes) * 3 < elimination->rows(attributes));
    for (std::uint32_t blocks = 1; blocks < attributes; ++blocks) {
      const auto other = plan_parity_by_blocks(attributes, 0.2, 0.05, blocks);
      if (other) CHECK(best.rows(attributes) <= other->rows(attributes));
    }
  }
}

TEST_CASE("plans without valid blocks, votes or rows are refused") {
  tests::CounterBitSource bits("wrong blocks");
  const ReleasedRows rows = rows_with_noise(4, 1, 1, 0);
  CHECK_FALSE(plan_parity_by_blocks(4, 0.1, 0.1, 0));
  CHECK_FALSE(plan_parity_by_blocks(4, 0.1, 0.1, 4));
  CHECK_FALSE(plan_parity_by_blocks(4, 0.5, 0.1, 1));
  CHECK_FALSE(plan_parity_by_blocks(4, 0.1, 0, 1));
  CHECK(plan_parity_by_blocks(20, 0.499, 0.1, 19).error().code == ErrorCode::kLimitExceeded);
  CHECK(learn_parity_by_blocks(rows, {1, 2, 8, 1}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(learn_parity_by_blocks(rows, {2, 2, 8, 0}, bits).error().code == ErrorCode::kInvalidArgument);
  CHECK(learn_parity_by_blocks(rows, {2, 2, 1, 1}, bits).error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::central
