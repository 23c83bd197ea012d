// Symbols: n = reports, β = 1 - confidence, g = query.weights, ω̃ = the estimate clamped to [0, 1], for its variance
// only.

#include "aggregator/estimator/estimate.h"

#include <algorithm>
#include <cmath>

#include "aggregator/bounds/normal.h"
#include "aggregator/bounds/query_error.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

// Share of β that the sampling of class means may use up; the rest is for noise and instances.
constexpr double kSampledMeansShare = 0.1;
// Excess kurtosis of the estimate above which the normal interval is not to be relied on: at 0.1 its error probability
// is off by a third at confidence 0.999 (Cornish and Fisher's expansion).
constexpr double kMuchKurtosis = 0.1;

Result<void> check(const Task& task, const LinearQuery& query, const LaplaceTally& tally, double confidence) {
  if (!(confidence > 0 && confidence < 1)) {
    return Error{ErrorCode::kInvalidArgument, "the confidence must lie strictly in (0, 1)"};
  }
  const std::size_t coordinates = std::get<LaplaceChannel>(task.channel().kind()).coordinates();
  if (tally.sum.size() != coordinates) {
    return Error{ErrorCode::kInvalidArgument, "the tally has another number of coordinates than the task's reports"};
  }
  for (const LinearQuery::Weight& weight : query.weights) {
    if (weight.coordinate >= coordinates) {
      return Error{ErrorCode::kInvalidArgument, "the query was compiled for another task"};
    }
  }
  if (tally.reports == 0) return Error{ErrorCode::kNoReports, "there are no reports to estimate from"};
  if (tally.reports < task.spec().min_batch_size) {
    return Error{ErrorCode::kBatchTooSmall, "there are fewer reports than the task's min_batch_size"};
  }
  return {};
}

double point_estimate(const LinearQuery& query, const LaplaceTally& tally) {
  double sum = 0;
  for (const LinearQuery::Weight& weight : query.weights) {
    sum += weight.value * static_cast<double>(tally.sum[weight.coordinate]);
  }
  return query.offset + sum / static_cast<double>(tally.reports);
}

// Variance of the value over the channel's noise and, for average-case queries, over the (f,ω,n)-random database:
// exactly ωn instances are drawn from class 1 and (1-ω)n from class 0.
double variance_of_estimate(double noise, const LinearQuery& query, double value, double reports) {
  double variance = noise / reports;
  if (query.guarantee == Guarantee::kAverageCase) {
    const double ones = std::clamp(value, 0.0, 1.0);
    const double zeros = 1 - ones;
    variance += (ones * query.class_variance[1] + zeros * query.class_variance[0]) / reports +
                ones * ones * query.class_mean_variance[1] + zeros * zeros * query.class_mean_variance[0];
  }
  return variance;
}

// Excess kurtosis of the noise in the estimate. The discrete Laplace law with variance v has fourth cumulant v + 3v².
double noise_kurtosis(const LaplaceChannel& channel, const LinearQuery& query, double noise, double reports) {
  double fourth = 0;
  for (const LinearQuery::Weight& weight : query.weights) {
    const double variance = channel.noise_variance(weight.coordinate);
    fourth += std::pow(weight.value, 4) * variance * (1 + 3 * variance);
  }
  return noise > 0 ? fourth / (reports * noise * noise) : 0;
}

Result<double> guaranteed_half_width(const LaplaceChannel& channel, const LinearQuery& query, std::uint64_t reports,
                                     double beta) {
  const double for_means = has_sampled_means(query) ? kSampledMeansShare * beta : 0;
  HEARSAY_TRY(const double deviation, chernoff_half_width(report_error(channel, query), reports, beta - for_means));
  return for_means > 0 ? deviation + class_mean_half_width(query, for_means) : deviation;
}

void add_warnings(const LinearQuery& query, double kurtosis, Estimate& estimate) {
  if (estimate.normal.high < 0 || estimate.normal.low > 1) {
    estimate.warnings.emplace_back(
        estimate.guarantee == Guarantee::kAverageCase
            ? "the interval lies outside [0, 1]: the population is not random as the average-case guarantee assumes, "
              "or "
              "some reports are not honest"
            : "the interval lies outside [0, 1]: an unlikely draw of noise, or some reports are not honest");
  }
  if (has_sampled_means(query)) {
    estimate.warnings.emplace_back(
        "the means of the query's classes were sampled: their error is in both intervals and does not shrink with more "
        "reports");
  }
  if (estimate.guaranteed.high - estimate.guaranteed.low >= 1) {
    estimate.warnings.emplace_back("the guaranteed interval is as wide as [0, 1]: the answer says nothing yet");
  }
  if (kurtosis > kMuchKurtosis) {
    estimate.warnings.emplace_back(
        "few reports: the noise is not yet close to normal, rely on the guaranteed interval");
  }
}

}  // namespace

Result<Estimate> estimate(const Task& task, const LinearQuery& query, const Tally& tally, double confidence) {
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  const auto& counts = std::get<LaplaceTally>(tally.kind());
  HEARSAY_CHECK_OK(check(task, query, counts, confidence));

  const auto reports = static_cast<double>(counts.reports);
  const double beta = 1 - confidence;
  const double noise = noise_variance(channel, query);
  const double value = point_estimate(query, counts);
  const double standard_error = std::sqrt(variance_of_estimate(noise, query, value, reports));
  HEARSAY_TRY(const double z, normal_upper_quantile(beta / 2));
  HEARSAY_TRY(const double guaranteed, guaranteed_half_width(channel, query, counts.reports, beta));

  Estimate result{.value = value,
                  .standard_error = standard_error,
                  .confidence = confidence,
                  .normal = {value - z * standard_error, value + z * standard_error},
                  .guaranteed = {value - guaranteed, value + guaranteed},
                  .guarantee = query.guarantee,
                  .margin = query.margin,
                  .reports = counts.reports,
                  .warnings = {}};
  add_warnings(query, noise_kurtosis(channel, query, noise, reports), result);
  return result;
}

}  // namespace hearsay::aggregator
