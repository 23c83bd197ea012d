#include "aggregator/estimator/question_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/estimator/answer.h"
#include "aggregator/estimator/questions/question_bound.h"
#include "aggregator/estimator/questions/question_variance.h"
#include "aggregator/estimator/questions/question_view.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

// The values of φ, a report's effect on the estimate, in a block of reports, and how often each value occurred. Values
// that lie close together are replaced by their mean.
struct Histogram {
  std::vector<double> values;
  std::vector<double> counts;
};

Histogram histogram_of(const QuestionView& view, const QuestionView::Block& block, compiler::Work& work) {
  constexpr std::size_t kBins = 64;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  view.for_each(block, work, [&](double /*count*/, double phi) {
    low = std::min(low, phi);
    high = std::max(high, phi);
  });
  Histogram bins{std::vector<double>(kBins, 0), std::vector<double>(kBins, 0)};
  const double per_unit = high > low ? (kBins - 1) / (high - low) : 0;
  view.for_each(block, work, [&](double count, double phi) {
    const auto bin = static_cast<std::size_t>(std::lround((phi - low) * per_unit));
    bins.values[bin] += count * phi;
    bins.counts[bin] += count;
  });
  Histogram result;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    if (bins.counts[bin] == 0) continue;
    result.values.push_back(bins.values[bin] / bins.counts[bin]);
    result.counts.push_back(bins.counts[bin]);
  }
  return result;
}

// A few untrue answers may make up much of the error at large ε, if the questions themselves add little noise.
bool has_few_untrue(const QuestionView& view, double variance) {
  constexpr double kFewUntrue = 8;
  double untrue = 0;
  // Roughly the variance that untrue answers add.
  double of_untrue = 0;
  for (const QuestionView::Block& block : view.blocks()) {
    if (block.single) continue;
    untrue += block.reports * (1 - block.gamma);
    of_untrue += 2 * block.reports * (1 - block.gamma) * block.diagonal;
  }
  return untrue < kFewUntrue && of_untrue > variance / 4;
}

// Returns true if the normal interval misses ω too often. Models the error as a sum of independent draws of φ from the
// reports, scaled so that the sum has the estimated variance.
Result<bool> has_few_question_reports(const QuestionView& view, double falls, double variance, std::uint64_t reports,
                                      double confidence, compiler::Work& work) {
  constexpr std::uint64_t kFew = 8;  // the same number as in sampled_estimate.cc
  if (view.blocks().empty()) return false;
  if (reports < kFew || !(variance > 0) || has_few_untrue(view, variance)) return true;
  std::vector<Histogram> histograms;
  ErrorLaw unstretched;
  for (const QuestionView::Block& block : view.blocks()) {
    histograms.push_back(histogram_of(view, block, work));
    unstretched.add_draws(histograms.back().values, histograms.back().counts, block.single);
  }
  if (!(unstretched.variance() > 0)) return true;  // within each block, all reports are alike
  const double stretch = std::sqrt(variance / unstretched.variance());
  ErrorLaw law;
  for (std::size_t b = 0; b < histograms.size(); ++b) {
    for (double& phi : histograms[b].values) phi *= stretch;
    law.add_draws(histograms[b].values, histograms[b].counts, view.blocks()[b].single);
  }
  return covers_too_seldom(law, variance, falls, confidence);
}

}  // namespace

Result<Estimate> question_estimate(const QuestionIndex& index, const compiler::LinearQuery& query, double confidence,
                                   compiler::Work& work) {
  HEARSAY_TRY(const QuestionView view, QuestionView::create(index, query, work));
  double value = query.offset;
  for (const QueryTerm& term : view.terms().terms) {
    double constant = term.factor;
    for (const QueryPart& part : term.parts) constant *= part.mean;
    value += constant;
  }
  QuestionVariance parts;
  for (const QuestionView::Block& block : view.blocks()) {
    value += block.sum;
    parts.add(sums_of(block));
  }
  const double variance =
      view.blocks().empty() ? 0 : parts.total(population_variance(query, value), static_cast<double>(index.reports()));
  HEARSAY_TRY(const QuestionBounds bounds, question_bounds(view, index.reports(), 1 - confidence, work));
  HEARSAY_TRY(const bool few,
              has_few_question_reports(view, variance_falls(query, value, static_cast<double>(index.reports())),
                                       variance, index.reports(), confidence, work));
  return make_answer(query,
                     {.value = value,
                      .variance = variance,
                      .guaranteed_half_width = bounds.guaranteed_half_width,
                      .influence = bounds.influence,
                      .few_reports = few},
                     index.reports(), confidence);
}

}  // namespace hearsay::estimator
