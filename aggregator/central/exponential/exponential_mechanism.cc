#include "aggregator/central/exponential/exponential_mechanism.h"

#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {

Result<std::size_t> ExponentialMechanism::release(std::span<const std::int64_t> scores, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> gaps, score_gaps(scores));
  for (;;) {
    const std::uint64_t candidate = uniform_below(bits, gaps.size());
    if (decay_.keep(gaps[candidate], bits)) return candidate;
  }
}

}  // namespace hearsay::central
