#include "aggregator/central/exponential/permute_and_flip.h"

#include <numeric>
#include <utility>

#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {

Result<std::size_t> PermuteAndFlip::release(std::span<const std::int64_t> scores, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> gaps, score_gaps(scores));
  std::vector<std::size_t> order(gaps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t place = 0;; ++place) {
    std::swap(order[place], order[place + uniform_below(bits, order.size() - place)]);
    if (decay_.keep(gaps[order[place]], bits)) return order[place];
  }
}

}  // namespace hearsay::central
