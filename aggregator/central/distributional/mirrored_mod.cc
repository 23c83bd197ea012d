#include "aggregator/central/distributional/mirrored_mod.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/try.h"

namespace hearsay::central {

std::uint64_t mirrored_mod(std::uint64_t x, std::uint64_t m) {
  const std::uint64_t rest = x % m;
  return x / m % 2 == 0 ? rest : m - 1 - rest;
}

Result<MirroredMod> MirroredMod::create(std::uint64_t modulus, const Epsilon& alpha) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 32U;
  if (modulus < 1 || modulus > kLargest) {
    return Error{ErrorCode::kInvalidArgument, "the modulus must lie in [1, 2^32]"};
  }
  HEARSAY_TRY(const Rational scale, Rational::create(alpha.den(), alpha.num()));
  HEARSAY_TRY(const DiscreteLaplace noise, DiscreteLaplace::create(scale));
  return MirroredMod(modulus, noise);
}

Result<MirroredMod> MirroredMod::separating(const Epsilon& alpha) {
  if (2 * alpha.den() % alpha.num() != 0) {
    return Error{ErrorCode::kInvalidArgument, "2/alpha must be an integer"};
  }
  return create(2 * alpha.den() / alpha.num(), alpha);
}

Result<std::int64_t> MirroredMod::release(std::uint64_t ones, std::uint64_t n, BitSource& bits) const {
  if (n < 1 || ones > n) return Error{ErrorCode::kInvalidArgument, "there must be bits, and at most all of them one"};
  return static_cast<std::int64_t>(mirrored_mod(ones, modulus_)) + noise_.sample(bits);
}

double MirroredMod::log_ratio(std::uint64_t ones1, std::uint64_t ones2, std::int64_t output) const {
  const auto at = static_cast<double>(output);
  const double far = std::abs(at - static_cast<double>(mirrored_mod(ones2, modulus_)));
  const double near = std::abs(at - static_cast<double>(mirrored_mod(ones1, modulus_)));
  return (far - near) / noise_.scale().approximate();
}

Result<double> far_pair_probability(std::uint64_t n, std::uint64_t m, std::uint64_t gap) {
  constexpr std::uint64_t kMostBits = 10'000'000;
  constexpr std::uint64_t kLargestModulus = 1'000'000;
  if (n < 1 || n > kMostBits || m < 1 || m > kLargestModulus) {
    return Error{ErrorCode::kInvalidArgument, "between 1 and 10^7 bits and a modulus in [1, 10^6] are needed"};
  }
  // The binomial law from its middle outwards, relative to it; what underflows does not count.
  std::vector<double> value(m, 0);
  double total = 0;
  const auto spread = [&](bool upwards) {
    double weight = 1;
    std::uint64_t s = n / 2;
    while (weight > 0) {
      if (upwards || s != n / 2) {
        value[mirrored_mod(s, m)] += weight;
        total += weight;
      }
      if (s == (upwards ? n : 0)) break;
      const auto up = static_cast<double>(n - s);
      const auto down = static_cast<double>(s);
      weight *= upwards ? up / (down + 1) : down / (up + 1);
      s = upwards ? s + 1 : s - 1;
    }
  };
  spread(true);
  spread(false);
  if (gap == 0) return 1.0;
  if (gap >= m) return 0.0;
  double far = 0;
  double below = 0;  // weight of the values at most v - gap
  for (std::uint64_t v = gap; v < m; ++v) {
    below += value[v - gap];
    far += 2 * value[v] * below;
  }
  return std::min(far / total / total, 1.0);
}

double neighbour_pair_probability(std::uint64_t n) {
  const double elements = static_cast<double>(n) + 1;
  return 2 / (elements * elements);
}

}  // namespace hearsay::central
