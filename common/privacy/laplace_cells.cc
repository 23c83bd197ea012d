#include "common/privacy/laplace_cells.h"

#include <algorithm>

#include "common/privacy/exponential.h"

namespace hearsay {
namespace {

constexpr unsigned kBits = ExpMinusEnclosure::kFractionBits;
constexpr Uint128 kOne = Uint128{1} << kBits;
constexpr std::uint64_t kLargestExponent = 64;  // of enclose_exp_minus()
constexpr unsigned kMoreStepsLog2 = 8;          // n steps or more have a probability of about 2^-8 where n allows

// exp(-num/den), for num below 2^64.
ExpMinusEnclosure enclose(Uint128 num, std::uint64_t den) {
  const auto least = [](std::uint64_t n, std::uint64_t d) { return enclose_exp_minus(Rational::create(n, d).value()); };
  if (num > Uint128{kLargestExponent} * den) return {0, least(kLargestExponent, 1).upper};
  return least(static_cast<std::uint64_t>(num), den);
}

// 2^32·numerator/denominator rounded down, for a numerator below the denominator, which is at most 2.
std::uint32_t first_digits(Uint128 numerator, Uint128 denominator) {
  constexpr unsigned kKept = 94;  // of the bits behind the point
  const Uint128 quotient = ((numerator >> (kBits - kKept)) << 32U) / ((denominator >> (kBits - kKept)) + 1);
  return static_cast<std::uint32_t>(quotient);
}

}  // namespace

ExponentialFraction LaplaceCells::end(std::size_t i) const {
  const Cell cell = (*this)[i];
  const std::uint64_t exponent = (std::uint64_t{cell.step + 1} << log2_step_) + (cell.negative ? 1 : 0);
  return {.exponent = exponent, .minus_power = !cell.beyond, .add_q = cell.negative, .over_one_plus_q = true};
}

// The ends are (1 - Q^(a+1))/(1+q), 1/(1+q) and (1 + q - q·Q^(a+1))/(1+q), Q = q^(2^k). Enclosed powers are a few times
// 2^-116 wide and the quotient loses less than 2^-90, far less than the unit of 2^-32 that the table's reader allows.
// 2^k·den <= num/8 < 2^61, so decay_per_step_ is below 2^61 and its dividend fits 128 bits.
LaplaceCells::LaplaceCells(const Rational& scale) : scale_(scale) {
  while (Uint128{scale.den()} << (log2_step_ + 4) <= scale.num()) ++log2_step_;
  if (log2_step_ > 0) {
    decay_per_step_ = static_cast<std::uint64_t>((Uint128{scale.den()} << (64 + log2_step_)) / scale.num());
  }
  const ExpMinusEnclosure q = enclose(scale.den(), scale.num());
  const ExpMinusEnclosure ratio = enclose(Uint128{scale.den()} << log2_step_, scale.num());
  std::vector<ExpMinusEnclosure> powers{ratio};
  while (powers.size() < kMostSteps && powers.back().upper > kOne >> kMoreStepsLog2) {
    powers.push_back(times(powers.back(), ratio));
  }
  steps_ = static_cast<std::uint32_t>(powers.size());

  const Uint128 denominator = kOne + q.upper;
  starts_.push_back(0);
  const auto add = [&](Uint128 numerator) {
    starts_.push_back(std::max(starts_.back(), first_digits(numerator, denominator)));
  };
  for (const auto& power : powers) add(kOne - power.upper);
  add(kOne);
  for (const auto& power : powers) add(kOne + q.lower - times(q, power).upper);

  std::size_t i = 0;
  for (std::size_t g = 0; g < guide_.size(); ++g) {
    while (i + 1 < size() && starts_[i + 1] <= g << (32 - kGuideBits)) ++i;
    guide_[g] = static_cast<std::uint8_t>(i);
  }
}

}  // namespace hearsay
