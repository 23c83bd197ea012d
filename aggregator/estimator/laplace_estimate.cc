// Symbols: n = number of reports, β = 1 - confidence, g = query.weights, ω̃ = the estimate clamped to [0, 1]. Only
// variances use ω̃.

#include "aggregator/estimator/laplace_estimate.h"

#include <algorithm>
#include <cmath>

#include "aggregator/estimator/answer.h"
#include "aggregator/tails/query_error.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

double point_estimate(const compiler::LinearQuery& query, const LaplaceSums& sums) {
  double sum = 0;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    sum += weight.value * static_cast<double>(sums.sum[weight.coordinate]);
  }
  return query.offset + sum / static_cast<double>(sums.reports);
}

// An average-case query adds the variance of the (f,ω,n)-random database, in which exactly ωn records are drawn from
// class 1 and (1-ω)n from class 0.
double variance_of_estimate(double noise, const compiler::LinearQuery& query, double value, double reports) {
  double variance = noise / reports;
  if (query.guarantee == compiler::Guarantee::kAverageCase) {
    const double ones = std::clamp(value, 0.0, 1.0);
    variance += (ones * query.class_variance[1] + (1 - ones) * query.class_variance[0]) / reports +
                class_mean_variance(query, value);
  }
  return variance;
}

// The discrete Laplace law with variance v has the fourth cumulant v + 3v².
double noise_kurtosis(const LaplaceChannel& channel, const compiler::LinearQuery& query, double noise, double reports) {
  double fourth = 0;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    const double variance = channel.noise_variance(weight.coordinate);
    fourth += std::pow(weight.value, 4) * variance * (1 + 3 * variance);
  }
  return noise > 0 ? fourth / (reports * noise * noise) : 0;
}

// Returns the law of the error: the exact law of the noise, and a normal law for the instances and the class means. If
// the excess kurtosis of the noise is below kNormal, the noise counts as normal, too. This limit also covers lattices:
// with a lattice of step h standard deviations, the excess kurtosis is at least h².
ErrorLaw error_law(const LaplaceChannel& channel, const compiler::LinearQuery& query, double variance,
                   std::uint64_t reports) {
  constexpr double kNormal = 0.01;
  const auto n = static_cast<double>(reports);
  ErrorLaw law;
  if (noise_kurtosis(channel, query, tails::noise_variance(channel, query), n) > kNormal) {
    for (const compiler::LinearQuery::Weight& weight : query.weights) {
      law.add_laplace(weight.value / n, channel.scale(weight.coordinate).approximate(), reports);
    }
  }
  law.add_gaussian(std::max(0.0, variance - law.variance()));
  return law;
}

double influence(const LaplaceChannel& channel, const compiler::LinearQuery& query, double reports) {
  double sum = 0;
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    sum += std::abs(weight.value) * static_cast<double>(channel.bound(weight.coordinate));
  }
  return 2 * sum / reports;
}

}  // namespace

Result<Estimate> laplace_estimate(const LaplaceChannel& channel, const LaplaceSums& sums,
                                  const compiler::LinearQuery& query, double confidence) {
  for (const compiler::LinearQuery::Weight& weight : query.weights) {
    if (weight.coordinate >= sums.sum.size()) {
      return Error{ErrorCode::kInvalidArgument, "the query was compiled for another task"};
    }
  }
  const auto reports = static_cast<double>(sums.reports);
  const double noise = tails::noise_variance(channel, query);
  const double value = point_estimate(query, sums);
  HEARSAY_TRY(const double half_width, tails::chernoff_half_width(tails::report_error(channel, query), sums.reports,
                                                                  beta_without_class_means(query, confidence)));
  const double variance = variance_of_estimate(noise, query, value, reports);
  HEARSAY_TRY(const bool few,
              covers_too_seldom(error_law(channel, query, variance, sums.reports), variance, 0, confidence));
  return make_answer(query,
                     {.value = value,
                      .variance = variance,
                      .guaranteed_half_width = half_width,
                      .influence = influence(channel, query, reports),
                      .few_reports = few},
                     sums.reports, confidence);
}

CoordinateMeans laplace_means(const LaplaceChannel& channel, const LaplaceSums& sums, std::size_t first,
                              std::size_t size) {
  CoordinateMeans means{static_cast<std::uint32_t>(first), {}, {}};
  for (std::size_t j = first; j < first + size; ++j) {
    means.means.push_back(sums.mean(j));
    means.variances.push_back(channel.noise_variance(j) / static_cast<double>(sums.reports));
  }
  return means;
}

}  // namespace hearsay::estimator
