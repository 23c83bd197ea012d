// Symbols: t = 1/ε = the noise's scale, q = e^{-1/t}, m = the bound on |Y|.

#include "aggregator/central/laplace/laplace_count.h"

#include <algorithm>
#include <cmath>

#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

constexpr double kMostPeople = 0x1p53;

}  // namespace

Result<LaplaceCount> LaplaceCount::create(const Epsilon& epsilon) {
  HEARSAY_TRY(const Rational scale, Rational::create(epsilon.den(), epsilon.num()));
  HEARSAY_TRY(const DiscreteLaplace noise, DiscreteLaplace::create(scale));
  return LaplaceCount(noise);
}

Result<CentralAnswer> LaplaceCount::release(std::uint64_t count, std::uint64_t people, double confidence,
                                            BitSource& bits) const {
  if (people == 0 || static_cast<double>(people) > kMostPeople || count > people) {
    return Error{ErrorCode::kInvalidArgument, "a count must be of 1 to 2^53 people and at most all of them"};
  }
  if (!(confidence > 0 && confidence < 1)) {
    return Error{ErrorCode::kInvalidArgument, "the confidence must lie strictly in (0, 1)"};
  }
  HEARSAY_TRY(const std::uint64_t bound, error_bound(1 - confidence));
  const std::int64_t noisy = static_cast<std::int64_t>(count) + noise_.sample(bits);  // both below 2^62 + 1
  const auto n = static_cast<double>(people);
  const double fraction = static_cast<double>(noisy) / n;
  const double reach = static_cast<double>(bound) / n;
  return CentralAnswer{noisy, fraction, standard_deviation() / n, fraction - reach, fraction + reach};
}

double LaplaceCount::standard_deviation() const { return std::sqrt(noise_.variance()); }

// Pr[|Y| > m] = 2q^{m+1}/(1+q) for m >= 0.
Result<std::uint64_t> LaplaceCount::error_bound(double beta) const {
  if (!(beta > 0 && beta < 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie strictly in (0, 1)"};
  const double t = noise_.scale().approximate();
  const double steps = std::ceil(t * (std::log(2 / beta) - std::log1p(std::exp(-1 / t))));
  return static_cast<std::uint64_t>(std::max(steps, 1.0)) - 1;
}

Result<std::uint64_t> LaplaceCount::users(double alpha, double beta) const {
  if (!(alpha > 0 && alpha < 1)) return Error{ErrorCode::kInvalidArgument, "alpha must lie strictly in (0, 1)"};
  HEARSAY_TRY(const std::uint64_t bound, error_bound(beta));
  const double people = std::ceil(static_cast<double>(bound) / alpha);
  if (people > kMostPeople) return Error{ErrorCode::kOverflow, "more than 2^53 people would be needed"};
  return static_cast<std::uint64_t>(std::max(people, 1.0));
}

}  // namespace hearsay::aggregator
