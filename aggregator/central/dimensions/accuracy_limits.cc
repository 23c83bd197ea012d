#include "aggregator/central/dimensions/accuracy_limits.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

// Finds by bisection the least m >= `least` with log_probability(m) < 0. The inequality must hold for all larger m,
// too.
template <class LogProbability>
Result<std::uint64_t> size_for(std::uint64_t least, const LogProbability& log_probability) {
  double high = static_cast<double>(least);
  while (log_probability(high) >= 0) {
    high *= 2;
    HEARSAY_CHECK_OK(record_count(high));
  }
  double low = std::floor(high / 2);
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (log_probability(middle) < 0 ? high : low) = middle;
  }
  return record_count(std::max(high, static_cast<double>(least)));
}

Result<void> check_error(double error) {
  if (error > 0 && error < 1) return {};
  return Error{ErrorCode::kInvalidArgument, "the error of a fraction must lie strictly in (0, 1)"};
}

}  // namespace

Result<AccuracyLowerBound> accuracy_lower_bound(const QueryClass& queries, double alpha, double delta,
                                                Neighbours neighbours) {
  if (!(alpha >= 0) || !(delta >= 0 && delta < 1)) {
    return Error{ErrorCode::kInvalidArgument, "alpha must be at least 0, and delta must lie in [0, 1)"};
  }
  const double ratio = std::exp((neighbours == Neighbours::kAddRemove ? 2 : 1) * alpha);
  const double share = std::max(0.0, (1 - delta * (1 + ratio)) / ((1 - delta) * (1 + ratio)));
  AccuracyLowerBound bound{0, 0, {}};
  HEARSAY_TRY(const std::vector<std::uint32_t> gaps, weight_gaps(queries));
  const double most_halves = std::floor(std::log2(static_cast<double>(queries.size())) / 2);
  double largest = 0;  // the largest width·even so far
  std::uint64_t work = 0;
  for (auto gap = gaps.rbegin(); gap != gaps.rend(); ++gap) {
    const double width = *gap / static_cast<double>(queries.unit());
    if (width * 2 * most_halves <= largest) break;
    HEARSAY_TRY(Shattering found, level_shattering(queries, *gap, work));
    const auto even = static_cast<double>(found.dimension() / 2 * 2);
    if (width * even <= largest) continue;
    largest = width * even;
    bound = {largest / 4 * share, width, std::move(found)};
  }
  return bound;
}

Result<std::uint64_t> vc_synthetic_size(std::uint64_t vc_dimension, double error) {
  HEARSAY_CHECK_OK(check_error(error));
  const auto v = static_cast<double>(vc_dimension);
  return size_for(std::max<std::uint64_t>(1, vc_dimension), [&](double m) {
    const double growth = v == 0 ? 0 : v * std::log(std::numbers::e * m / v);
    return std::log(8.0) + growth - m * error * error / 128;
  });
}

Result<std::uint64_t> fat_synthetic_size(std::uint64_t dimension, double error) {
  HEARSAY_CHECK_OK(check_error(error));
  const auto v = static_cast<double>(dimension);
  const double h = error / 2;
  return size_for(std::max<std::uint64_t>(1, dimension), [&](double m) {
    const double exponent = v == 0 ? 0 : v * std::log2(32 * std::numbers::e * m / (v * h));
    return std::log(16.0) + exponent * std::log(256 * m / (h * h)) - m * h * h / 128;
  });
}

Result<Rational> fat_scale(double error) {
  HEARSAY_CHECK_OK(check_error(error));
  constexpr double kDigits = 1e9;
  const auto scaled = static_cast<std::uint64_t>(std::floor(error / 64 * kDigits));
  if (scaled == 0) return Error{ErrorCode::kInvalidArgument, "the error must be at least 6.4e-8"};
  return Rational::create(scaled, static_cast<std::uint64_t>(kDigits));
}

}  // namespace hearsay::central
