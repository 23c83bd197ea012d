// Symbols: n = number of reports; v = a report's score; s(x) = E[v²|x]; f(x) = E[v|x].
//
// Given the reporters, n²·Var = Σ (s(x) - f(x)²) over the reporters' records x. The mean of v² over the reports is an
// unbiased estimate of the mean of s. If f is 0 or 1, then f² = f, so the estimate itself is an unbiased estimate of
// the mean of f².

#include "aggregator/estimator/strategy_estimate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/compiler/record_function.h"
#include "aggregator/compiler/worst_people_scores.h"
#include "aggregator/estimator/answer.h"
#include "aggregator/tails/chernoff.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/schema/universe.h"

namespace hearsay::estimator {
namespace {

using Eigen::Index;

// Bounds for the score v of any report from any record x. The mean of v given x is f(x).
struct ScoreBounds {
  double most_variance;   // of v given x
  double least_variance;  // of v given x
  double radius;          // at least |v - f(x)|
};

ScoreBounds bounds_of(const compiler::StrategyDecoder& decoder, const Eigen::VectorXd& scores,
                      const Eigen::VectorXd& function) {
  const Eigen::ArrayXd variances = decoder.second_moments(scores).array() - function.array().square();
  const double radius = std::max(scores.maxCoeff() - function.minCoeff(), function.maxCoeff() - scores.minCoeff());
  return {variances.maxCoeff(), variances.minCoeff(), radius};
}

// Returns true if the normal interval misses ω too often. Models the error as a sum of independent draws from the
// reports' scores, scaled to the estimated variance.
Result<bool> has_few_strategy_reports(const StrategyIndex& index, const Eigen::VectorXd& scores, double falls,
                                      double variance, double confidence) {
  constexpr std::uint64_t kFewest = 8;  // the same number as kFew in sampled_estimate.cc
  if (index.reports() < kFewest) return true;
  std::vector<double> values;
  std::vector<double> counts;
  for (Index k = 0; k < scores.size(); ++k) {
    if (index.counts()[k] == 0) continue;
    values.push_back(scores[k] / static_cast<double>(index.reports()));
    counts.push_back(index.counts()[k]);
  }
  ErrorLaw unstretched;
  unstretched.add_draws(values, counts, false);
  if (!(unstretched.variance() > 0)) return true;  // all reports have the same score
  const double stretch = std::sqrt(variance / unstretched.variance());
  for (double& score : values) score *= stretch;
  ErrorLaw law;
  law.add_draws(values, counts, false);
  return covers_too_seldom(law, variance, falls, confidence);
}

Result<void> check_linear(const Task& task, const compiler::LinearQuery& query) {
  bool good = query.terms.empty();
  for (const auto& weight : query.weights) good = good && weight.coordinate < task.arrangement().dimension();
  if (good) return {};
  return Error{ErrorCode::kInvalidArgument, "the query was compiled for another task"};
}

struct MeanNumbers {
  std::vector<double> means;
  std::vector<double> variances;
};

// Given the reporters, a mean's variance is (E[v²] - E[f²])/n. `square` is the mean of v² over the reports, and
// `of_function` the mean of f² over the reporters. `least` is the least variance of v given x, over all records x.
double mean_variance(double square, double of_function, double least, double n) {
  return std::max(square - of_function, std::max(least, 0.0)) / n;
}

// Estimates the means of functions. `columns(first, count)` returns some of the functions as columns. `signs` is true
// if the values of the functions are -1 and 1, and false if they are 0 and 1. Holds the scores of only some functions
// at a time, since scores may take more memory than functions.
template <class Columns>
Result<MeanNumbers> means_of(const StrategyIndex& index, Index functions, bool signs, const Columns& columns,
                             compiler::Work& work) {
  constexpr Index kMaxScores = Index{1} << 22U;  // 32 MiB of scores
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20U;
  const auto& channel = std::get<StrategyChannel>(index.task().channel().kind());
  const Index at_once = std::max<Index>(1, kMaxScores / index.decoder().outputs());
  const auto n = static_cast<double>(index.reports());
  MeanNumbers numbers;
  for (Index first = 0; first < functions; first += at_once) {
    const Eigen::MatrixXd some = columns(first, std::min(at_once, functions - first));
    std::uint64_t steps = static_cast<std::uint64_t>(some.cols()) * compiler::scores_steps(channel);
    for (; steps > kAtOnce; steps -= kAtOnce) work.spend(kAtOnce);
    work.spend(steps);
    HEARSAY_TRY(const Eigen::MatrixXd scores, index.decoder().scores(some));
    const Eigen::MatrixXd moments = index.decoder().second_moments(scores);
    for (Index i = 0; i < some.cols(); ++i) {
      const double mean = scores.col(i).dot(index.counts()) / n;
      const double square = scores.col(i).cwiseAbs2().dot(index.counts()) / n;
      const double least = (moments.col(i).array() - some.col(i).array().square()).minCoeff();
      numbers.means.push_back(mean);
      numbers.variances.push_back(mean_variance(square, signs ? 1 : mean, least, n));
    }
  }
  return numbers;
}

std::vector<Index> cells_of(const Schema& schema, std::span<const std::uint32_t> attributes) {
  std::vector<Index> cells;
  for (const Record& record : universe_of(schema)) {
    Index cell = 0;
    for (const std::uint32_t attribute : attributes) cell = cell * schema[attribute].size() + record[attribute];
    cells.push_back(cell);
  }
  return cells;
}

Eigen::VectorXd indicator(const std::vector<Index>& cells, Index cell) {
  Eigen::VectorXd function(static_cast<Index>(cells.size()));
  for (Index x = 0; x < function.size(); ++x) function[x] = cells[static_cast<std::size_t>(x)] == cell ? 1 : 0;
  return function;
}

// Uses that the indicator of any cell is the indicator of the first cell, shifted by a record of the cell.
Result<MeanNumbers> means_of_cells(const StrategyIndex& index, const compiler::ShiftStrategy& shifts,
                                   const std::vector<Index>& cells, Index count) {
  const Eigen::VectorXd function = indicator(cells, 0);
  HEARSAY_TRY(const Eigen::MatrixXd scores, shifts.scores(function));
  const auto n = static_cast<double>(index.reports());
  const Eigen::VectorXd means = shifts.shifted_sums(index.counts(), scores) / n;
  const Eigen::VectorXd squares = shifts.shifted_sums(index.counts(), scores.cwiseAbs2()) / n;
  const double least = (index.decoder().second_moments(scores) - function.cwiseAbs2()).minCoeff();
  MeanNumbers numbers{std::vector<double>(static_cast<std::size_t>(count)),
                      std::vector<double>(static_cast<std::size_t>(count))};
  for (std::size_t x = 0; x < cells.size(); ++x) {
    const auto cell = static_cast<std::size_t>(cells[x]);
    const auto at = static_cast<Index>(x);
    numbers.means[cell] = means[at];
    numbers.variances[cell] = mean_variance(squares[at], means[at], least, n);
  }
  return numbers;
}

}  // namespace

Result<StrategyIndex> StrategyIndex::create(const Task& task, const tally::SampledTally& tally) {
  const auto& channel = std::get<StrategyChannel>(task.channel().kind());
  StrategyIndex index(task, channel);
  index.reports_ = tally.reports();
  for (const tally::SampledTally::Entry& entry : tally.entries()) {
    if (entry.group >= channel.outputs() || entry.answer != 0) {
      return Error{ErrorCode::kInvalidArgument, "the tally has outputs that the task's reports cannot have"};
    }
    index.counts_[static_cast<Index>(entry.group)] = static_cast<double>(entry.count);
  }
  return index;
}

Result<Estimate> strategy_estimate(const StrategyIndex& index, const compiler::LinearQuery& query, double confidence,
                                   compiler::Work& work) {
  HEARSAY_CHECK_OK(check_linear(index.task(), query));
  if (query.weights.empty()) return make_answer(query, {query.offset, 0, 0, 0, false}, index.reports(), confidence);
  const std::vector<double> values = compiler::record_function(index.task(), query, work);
  const Eigen::VectorXd function = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
  HEARSAY_TRY(const Eigen::VectorXd scores, compiler::query_scores(index.decoder(), query, function));
  const auto n = static_cast<double>(index.reports());
  const double value = scores.dot(index.counts()) / n;
  // The estimated mean of f² over the reporters.
  const double square = query.population_variance ? *query.population_variance + value * value : value;
  const ScoreBounds bounds = bounds_of(index.decoder(), scores, function);
  const double variance =
      std::max(scores.cwiseAbs2().dot(index.counts()) / n - square, std::max(0.0, bounds.least_variance)) / n;
  tails::ReportError error;
  error.bounded_variance = bounds.most_variance;
  error.bounded_radius = bounds.radius;
  HEARSAY_TRY(const double half_width, tails::chernoff_half_width(error, index.reports(), 1 - confidence));
  HEARSAY_TRY(const bool few,
              has_few_strategy_reports(index, scores, variance_falls(query, value, n), variance, confidence));
  return make_answer(query,
                     {.value = value,
                      .variance = variance,
                      .guaranteed_half_width = half_width,
                      .influence = (scores.maxCoeff() - scores.minCoeff()) / n,
                      .few_reports = few},
                     index.reports(), confidence);
}

Result<TableNumbers> strategy_table(const StrategyIndex& index, std::span<const std::uint32_t> attributes,
                                    compiler::Work& work) {
  const std::vector<Index> cells = cells_of(index.task().asked_schema(), attributes);
  const Index count = *std::max_element(cells.begin(), cells.end()) + 1;
  const auto columns = [&](Index first, Index some) {
    Eigen::MatrixXd functions(static_cast<Index>(cells.size()), some);
    for (Index i = 0; i < some; ++i) functions.col(i) = indicator(cells, first + i);
    return functions;
  };
  const compiler::ShiftStrategy* shifts = index.decoder().shift_strategy();
  HEARSAY_TRY(MeanNumbers numbers, shifts != nullptr ? means_of_cells(index, *shifts, cells, count)
                                                     : means_of(index, count, false, columns, work));
  return TableNumbers{std::move(numbers.means), std::move(numbers.variances)};
}

Result<CoordinateMeans> strategy_means(const StrategyIndex& index, std::span<const std::uint32_t> attributes,
                                       compiler::Work& work) {
  const Task& task = index.task();
  const CharacterIndex::Ranks on = std::get<Characters>(task.arrangement().kind()).coordinates_on(attributes);
  work.hold(static_cast<std::uint64_t>(index.decoder().records()) * on.size, "ask about fewer attributes");
  Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> signs(index.decoder().records(),
                                                                   static_cast<Index>(on.size));
  std::vector<std::int8_t> embedding(task.arrangement().dimension());
  Index x = 0;
  for (const Record& record : universe_of(task.asked_schema())) {
    work.spend(embedding.size());
    task.arrangement().encode(record, embedding);
    for (std::uint64_t j = 0; j < on.size; ++j) signs(x, static_cast<Index>(j)) = embedding[on.first + j];
    ++x;
  }
  const auto columns = [&](Index first, Index some) -> Eigen::MatrixXd {
    return signs.middleCols(first, some).cast<double>();
  };
  HEARSAY_TRY(MeanNumbers numbers, means_of(index, signs.cols(), true, columns, work));
  return CoordinateMeans{static_cast<std::uint32_t>(on.first), std::move(numbers.means), std::move(numbers.variances)};
}

}  // namespace hearsay::estimator
