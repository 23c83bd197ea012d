#include "aggregator/central/exponential/exponential_mechanism.h"

#include <cmath>

#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {

Result<std::size_t> ExponentialMechanism::release(std::span<const std::int64_t> scores, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> gaps, score_gaps(scores));
  return draw(gaps, bits);
}

std::size_t ExponentialMechanism::draw(std::span<const std::uint64_t> gaps, BitSource& bits) const {
  for (;;) {
    const std::uint64_t candidate = uniform_below(bits, gaps.size());
    if (decay_.keep(gaps[candidate], bits)) return candidate;
  }
}

Result<std::vector<long double>> ExponentialMechanism::log_law(std::span<const std::int64_t> scores) const {
  HEARSAY_TRY(const std::vector<std::uint64_t> gaps, score_gaps(scores));
  std::vector<long double> logs;
  logs.reserve(gaps.size());
  long double total = 0;
  long double lost = 0;  // compensated sum: the error does not grow with the number of candidates
  for (const std::uint64_t gap : gaps) {
    logs.push_back(-decay_.approximate_exponent(gap));
    const long double term = std::exp(logs.back()) - lost;
    const long double sum = total + term;
    lost = (sum - total) - term;
    total = sum;
  }
  for (long double& value : logs) value -= std::log(total);
  return logs;
}

}  // namespace hearsay::central
