#include "aggregator/central/synthetic/multisets.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

namespace hearsay::central {
namespace {

TEST_CASE("multisets are numbered in order and without gaps, and a number gives its multiset") {
  for (const auto& [domain, size] : {std::pair{1U, 5U}, {4U, 1U}, {3U, 4U}, {6U, 3U}}) {
    const Multisets all = Multisets::create(domain, size).value();
    Counts counts = all.at(0);
    for (std::uint64_t index = 0; index < all.count(); ++index) {
      if (index > 0) {
        const Counts before = counts;
        Multisets::advance(counts);
        CHECK(before < counts);
      }
      CHECK(std::accumulate(counts.begin(), counts.end(), 0U) == size);
      CHECK(all.index_of(counts) == index);
      CHECK(all.at(index) == counts);
    }
    CHECK(counts[0] == size);  // the last multiset in the order has all copies of element 0
  }
}

TEST_CASE("sixteen elements have 54,264 multisets of size six") {
  CHECK(Multisets::create(16, 6).value().count() == 54'264);
  CHECK(log_multisets(16, 6) == doctest::Approx(std::log(54'264.0)).epsilon(1e-12).scale(0));
  CHECK(log_multisets(1, 1'000'000'000) == 0);
  CHECK(log_multisets(std::uint64_t{1} << 60U, 2) == doctest::Approx(119 * std::log(2.0)).epsilon(1e-12).scale(0));
  // ln C(2k, k) = 2k·ln 2 - ln(πk)/2 + O(1/k), with k = 2·10^6.
  CHECK(log_multisets(2'000'001, 2'000'000) ==
        doctest::Approx(4e6 * std::log(2.0) - std::log(3.14159265358979 * 2e6) / 2).epsilon(1e-9).scale(0));
}

TEST_CASE("domains that are empty or very large are refused") {
  CHECK(Multisets::create(0, 3).error().code == ErrorCode::kInvalidArgument);
  CHECK(Multisets::create(3, 0).error().code == ErrorCode::kInvalidArgument);
  CHECK(Multisets::create(32, 12).error().code == ErrorCode::kDomainTooLarge);
  CHECK(Multisets::create(std::size_t{1} << 60U, 1).error().code == ErrorCode::kDomainTooLarge);
  CHECK(Multisets::create(2, 4'000'000'000).error().code == ErrorCode::kDomainTooLarge);
  CHECK(Multisets::create(2048, 2).value().count() == 2'098'176);
}

}  // namespace
}  // namespace hearsay::central
