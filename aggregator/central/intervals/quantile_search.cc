#include "aggregator/central/intervals/quantile_search.h"

#include <algorithm>

#include "aggregator/central/calibration.h"
#include "common/base/int128.h"

namespace hearsay::central {
namespace {

std::int64_t prefix(std::span<const std::uint64_t> sorted, std::uint64_t cell) {
  return std::upper_bound(sorted.begin(), sorted.end(), cell) - sorted.begin();
}

std::int64_t threshold(std::uint64_t k, std::uint64_t rows, std::uint64_t pieces) {
  return static_cast<std::int64_t>((Uint128{k} * rows + pieces - 1) / pieces);
}

// `found` has the boundaries so far; the next boundary is in [low, high].
struct Paths {
  const QuantileSearch& search;
  std::span<const std::uint64_t> sorted;
  std::uint64_t rows;
  const QuantileSearch::Outcome& outcome;
  std::vector<std::uint64_t> found;

  void follow(std::uint64_t low, std::uint64_t high, long double probability) {
    if (found.size() + 1 == search.pieces) {
      outcome(found, probability);
      return;
    }
    if (low == high) {
      found.push_back(low);
      follow(low, (std::uint64_t{1} << search.bits) - 1, probability);
      found.pop_back();
      return;
    }
    const std::uint64_t middle = low + (high - low) / 2;
    const std::int64_t missing = threshold(found.size() + 1, rows, search.pieces) - prefix(sorted, middle);
    follow(low, middle, probability * upper_tail<long double>(search.noise, missing));
    // Pr[Y < y] = Pr[Y >= 1 - y].
    follow(middle + 1, high, probability * upper_tail<long double>(search.noise, 1 - missing));
  }
};

}  // namespace

std::vector<std::uint64_t> QuantileSearch::run(std::span<const std::uint64_t> sorted, std::uint64_t rows,
                                               BitSource& source) const {
  std::vector<std::uint64_t> found;
  std::uint64_t low = 0;
  for (std::uint64_t k = 1; k < pieces; ++k) {
    const std::int64_t wanted = threshold(k, rows, pieces);
    std::uint64_t high = (std::uint64_t{1} << bits) - 1;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (prefix(sorted, middle) + noise.sample(source) >= wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    found.push_back(low);
  }
  return found;
}

void QuantileSearch::law(std::span<const std::uint64_t> sorted, std::uint64_t rows, const Outcome& outcome) const {
  Paths{*this, sorted, rows, outcome, {}}.follow(0, (std::uint64_t{1} << bits) - 1, 1);
}

}  // namespace hearsay::central
