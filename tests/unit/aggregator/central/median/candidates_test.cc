#include "aggregator/central/median/candidates.h"

#include <doctest/doctest.h>

namespace hearsay::central {
namespace {

using Query = std::vector<std::uint32_t>;

TEST_CASE("before any pruning the candidates are all multisets") {
  CHECK(Candidates::create(3, 4)->count() == 15);  // C(6, 2)
  CHECK(Candidates::create(16, 6)->count() == 54'264);
  CHECK(Candidates::create(1, 9)->count() == 1);
}

// Over two elements the multisets of size 4 have 0, ..., 4 copies of the first.
TEST_CASE("the median is the lower median, and pruning keeps the candidates that fulfil the bounds") {
  const Query first{1, 0};
  const Query both{2, 1};
  Candidates candidates = Candidates::create(2, 4).value();
  CHECK(candidates.median(first) == 2);
  CHECK(candidates.median(both) == 6);  // x copies of the first element give 2x + (4 - x), with the median x = 2
  candidates.keep_within(first, 1, 4);
  CHECK(candidates.count() == 4);
  CHECK(candidates.median(first) == 2);  // the lower median of 1, 2, 3, 4
  candidates.keep_within(both, 7, 7);
  CHECK(candidates.count() == 1);
  CHECK(candidates.median(first) == 3);
}

TEST_CASE("pruning that would remove all candidates removes no candidate") {
  const Query first{1, 0};
  Candidates candidates = Candidates::create(2, 4).value();
  candidates.keep_within(first, 5, 100);
  CHECK(candidates.count() == 5);
  candidates.keep_within(first, 3, 2);
  CHECK(candidates.count() == 5);
}

TEST_CASE("domains that are empty or too large to enumerate are refused") {
  CHECK(Candidates::create(0, 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(Candidates::create(3, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(Candidates::create(100, 10).error().code == ErrorCode::kDomainTooLarge);
  CHECK(Candidates::create(1'000'000, 1).error().code == ErrorCode::kDomainTooLarge);
  CHECK(Candidates::create(~std::size_t{0}, 1).error().code == ErrorCode::kDomainTooLarge);
}

}  // namespace
}  // namespace hearsay::central
