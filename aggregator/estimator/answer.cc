#include "aggregator/estimator/answer.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "aggregator/tails/distributions.h"
#include "aggregator/tails/query_error.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

std::string short_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

void add_warnings(const compiler::LinearQuery& query, bool few_reports, Estimate& estimate) {
  const auto [low, high] = query.range;
  const std::string range = "[" + short_text(low) + ", " + short_text(high) + "]";
  if (estimate.normal.high < low || estimate.normal.low > high) {
    estimate.warnings.push_back("the interval lies outside " + range +
                                (estimate.guarantee == compiler::Guarantee::kAverageCase
                                     ? ": the population is not random as the average-case guarantee assumes, or some "
                                       "reports are not honest"
                                     : ": the noise was unusually large, or some reports are not honest"));
  }
  if (tails::has_sampled_means(query)) {
    estimate.warnings.emplace_back(
        "the means of the query's classes were sampled: their error is in both intervals and does not shrink with more "
        "reports");
  }
  if (estimate.guaranteed.high - estimate.guaranteed.low >= high - low) {
    estimate.warnings.push_back("the guaranteed interval is as wide as " + range + ": the answer says nothing yet");
  }
  if (few_reports) {
    estimate.warnings.emplace_back(
        "few reports: the noise is not yet close to normal, so rely on the guaranteed interval");
  }
}

}  // namespace

Result<bool> covers_too_seldom(const ErrorLaw& law, double variance, double falls, double confidence) {
  constexpr double kTooOften = 1.25;
  // The code uses this β in place of a smaller β, since the law's tails are not known well enough.
  constexpr double kLeastBeta = 1e-3;
  if (law.is_normal()) return false;
  // All reports have the same answer, so nothing shows how people with another answer would move the value.
  if (!(variance > 0)) return true;
  const double beta = std::max(1 - confidence, kLeastBeta);
  HEARSAY_TRY(const double z, tails::normal_upper_quantile(beta / 2));
  return 1 - law.coverage(z, variance, falls) > kTooOften * beta;
}

double beta_without_class_means(const compiler::LinearQuery& query, double confidence) {
  const double beta = 1 - confidence;
  return tails::has_sampled_means(query) ? beta - kSampledMeansShare * beta : beta;
}

double population_variance(const compiler::LinearQuery& query, double mean) {
  return query.population_variance.value_or(mean * (1 - mean));
}

double variance_falls(const compiler::LinearQuery& query, double value, double reports) {
  return query.population_variance ? 0 : (1 - 2 * std::clamp(value, 0.0, 1.0)) / reports;
}

double class_mean_variance(const compiler::LinearQuery& query, double value) {
  const double ones = std::clamp(value, 0.0, 1.0);
  const double zeros = 1 - ones;
  return ones * ones * query.class_mean_variance[1] + zeros * zeros * query.class_mean_variance[0];
}

Result<Estimate> make_answer(const compiler::LinearQuery& query, const Findings& findings, std::uint64_t reports,
                             double confidence) {
  const double beta = 1 - confidence;
  HEARSAY_TRY(const double z, tails::normal_upper_quantile(beta / 2));
  const double standard_error = std::sqrt(findings.variance);
  HEARSAY_TRY(const double of_class_means, tails::class_mean_half_width(query, kSampledMeansShare * beta));
  const double guaranteed = findings.guaranteed_half_width + of_class_means;
  Estimate result{.value = findings.value,
                  .standard_error = standard_error,
                  .confidence = confidence,
                  .normal = {findings.value - z * standard_error, findings.value + z * standard_error},
                  .guaranteed = {findings.value - guaranteed, findings.value + guaranteed},
                  .guarantee = query.guarantee,
                  .margin = query.margin,
                  .influence = findings.influence,
                  .reports = reports,
                  .warnings = {}};
  add_warnings(query, findings.few_reports, result);
  return result;
}

}  // namespace hearsay::estimator
