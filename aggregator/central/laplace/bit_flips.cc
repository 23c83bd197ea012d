#include "aggregator/central/laplace/bit_flips.h"

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "common/base/rational.h"
#include "common/base/try.h"
#include "common/privacy/exponential.h"

namespace hearsay::central {
namespace {

// Returns ⌈2^64·q/(1+q)⌉, by binary long division. q is e^-x rounded up to 96 bits. The result grows with q, so
// rounding q up is towards privacy. q/(1+q) is at most 1/2, so the result fits into 64 bits.
std::uint64_t flip_for(const Rational& x) {
  constexpr unsigned kBits = 96;
  constexpr unsigned kDropped = ExpMinusEnclosure::kFractionBits - kBits;
  const Uint128 one = Uint128{1} << kBits;
  const Uint128 q = ((enclose_exp_minus(x).upper - 1) >> kDropped) + 1;
  const Uint128 denominator = one + q;
  Uint128 remainder = q;
  std::uint64_t quotient = 0;
  for (int i = 0; i < 64; ++i) {
    remainder <<= 1U;
    const bool reached = remainder >= denominator;
    if (reached) remainder -= denominator;
    quotient = (quotient << 1U) | (reached ? 1U : 0U);
  }
  return quotient + (remainder != 0 ? 1 : 0);
}

}  // namespace

Result<BitFlips> BitFlips::create(const Epsilon& epsilon, std::size_t dimension, std::size_t sensitivity,
                                  Neighbours neighbours) {
  if (dimension > kMostBits) return Error{ErrorCode::kLimitExceeded, "there may be at most 2^24 bits"};
  if (sensitivity == 0 || sensitivity > dimension) {
    return Error{ErrorCode::kInvalidArgument, "the sensitivity must be from 1 to the number of bits"};
  }
  HEARSAY_TRY(const Rational x, Rational::create(epsilon.num(), epsilon.den() * sensitivity));
  return BitFlips(dimension, sensitivity, flip_for(x), neighbours);
}

std::vector<std::uint8_t> BitFlips::release(std::span<const std::uint8_t> value, BitSource& bits) const {
  std::vector<std::uint8_t> noisy;
  noisy.reserve(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) {
    const bool bit = i < value.size() && value[i] != 0;
    const bool flips = bits.bits(64) < flip_;
    noisy.push_back(bit != flips ? 1 : 0);
  }
  return noisy;
}

Result<std::uint64_t> BitFlips::error_bound(double beta) const {
  if (!(beta > 0 && beta < 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie strictly in (0, 1)"};
  const boost::math::binomial_distribution<double> flipped(static_cast<double>(dimension_),
                                                           std::ldexp(static_cast<double>(flip_), -64));
  std::uint64_t enough = dimension_;
  std::uint64_t least = 0;
  while (least < enough) {
    const std::uint64_t middle = least + (enough - least) / 2;
    const double above = boost::math::cdf(boost::math::complement(flipped, static_cast<double>(middle)));
    if (above <= beta) {
      enough = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

}  // namespace hearsay::central
