// Symbols: t = s/r is the scale, s = scale_.num(), r = scale_.den(); q = exp(-1/t).

#include "common/privacy/discrete_laplace.h"

#include <cmath>
#include <limits>

#include "common/base/int128.h"
#include "common/privacy/coin.h"
#include "common/privacy/exact_samplers.h"

namespace hearsay {
namespace {

// With t <= 2^54, Pr[|Y| >= 2^62] < 2·exp(-2^62/2^54) = 2·exp(-256) < 2^-368.
constexpr std::uint64_t kLargestScale = std::uint64_t{1} << 54U;

// A number above ln 2 = 0.69314718...
constexpr std::uint64_t kLn2AboveNum = 6'931'472;
constexpr std::uint64_t kLn2AboveDen = 10'000'000;

}  // namespace

Result<DiscreteLaplace> DiscreteLaplace::create(Rational scale) {
  if (scale.num() == 0) return Error{ErrorCode::kInvalidArgument, "the scale of the noise must be above 0"};
  if (Uint128{scale.num()} > Uint128{kLargestScale} * scale.den()) {
    return Error{ErrorCode::kScaleTooLarge, "the scale of the noise must be at most 2^54"};
  }
  return DiscreteLaplace(scale);
}

std::int64_t DiscreteLaplace::sample(BitSource& source) const {
  BitCoin coin(source);
  return discrete_laplace(coin, scale_.num(), scale_.den());
}

// Pr[|Y| >= m] = 2q^m/(1+q) < 2·exp(-m/t) for m >= 1, which is at most 2^-L once m >= (L+1)·t·ln 2. Below, num <
// 2^32·2^23·2^64 and den < 2^24·2^64.
std::uint64_t DiscreteLaplace::tail_bound(unsigned log2_inverse) const {
  const Uint128 num = Uint128{std::uint64_t{log2_inverse} + 1} * kLn2AboveNum * scale_.num();
  const Uint128 den = Uint128{kLn2AboveDen} * scale_.den();
  const Uint128 bound = num / den + (num % den != 0 ? 1 : 0);
  constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max();
  return bound < kLargest ? static_cast<std::uint64_t>(bound) : kLargest;
}

double DiscreteLaplace::variance() const {
  const double s = std::sinh(0.5 / scale_.approximate());
  return 0.5 / (s * s);
}

double DiscreteLaplace::log_probability(std::int64_t y) const {
  const double t = scale_.approximate();
  return std::log(std::tanh(0.5 / t)) - std::abs(static_cast<double>(y)) / t;
}

}  // namespace hearsay
