#include "tests/support/statistics.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <stdexcept>

namespace hearsay::tests {

namespace math = boost::math;

double normal_threshold(double false_alarm) {
  return math::quantile(math::complement(math::normal_distribution<>(), false_alarm / 2));
}

double chi_square_threshold(double degrees, double false_alarm) {
  return math::quantile(math::complement(math::chi_squared_distribution<>(degrees), false_alarm));
}

Band binomial_band(std::uint64_t n, double p, double false_alarm) {
  // Boost rounds discrete quantiles outwards, so each side has at most half of the probability.
  const math::binomial_distribution<> law(static_cast<double>(n), p);
  const double low = math::quantile(law, false_alarm / 2);
  const double high = math::quantile(math::complement(law, false_alarm / 2));
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

double cramer_threshold(double false_alarm, double n, double skewness, double excess_kurtosis) {
  const auto log_tail = [&](double z) {
    const double correction =
        std::abs(skewness) * z * z * z / (6 * std::sqrt(n)) + excess_kurtosis * z * z * z * z / (24 * n);
    return std::log(math::cdf(math::complement(math::normal_distribution<>(), z))) + correction;
  };
  const double target = std::log(false_alarm / 2);
  double low = 0;
  double high = 1;
  while (log_tail(high) > target) {
    high += 0.25;
    if (high > 12) throw std::invalid_argument("the mean of so few draws is too far from normal");
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (log_tail(middle) > target ? low : high) = middle;
  }
  return high;
}

}  // namespace hearsay::tests
