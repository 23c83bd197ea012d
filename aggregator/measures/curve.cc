#include "aggregator/measures/curve.h"

#include <algorithm>
#include <cmath>

#include "aggregator/tails/distributions.h"
#include "common/base/try.h"
#include "common/schema/names.h"

namespace hearsay::measures {
namespace {

Function excess_at(const Schema& schema, std::uint32_t attribute, std::uint32_t k, double level,
                   const std::optional<Query>& among) {
  Function::Piece piece{1, attribute, {}, among};
  for (std::uint32_t i = 0; i < schema[attribute].size(); ++i) piece.values.push_back((i <= k ? 1 : 0) - level);
  return {{std::move(piece)}};
}

// Makes a curve non-decreasing. Returns the mean of two non-decreasing curves: the lowest curve above the given curve,
// and the highest curve below the given curve.
std::vector<double> rising(const std::vector<double>& curve) {
  std::vector<double> above = curve;
  std::vector<double> below = curve;
  for (std::size_t i = 1; i < curve.size(); ++i) above[i] = std::max(above[i], above[i - 1]);
  for (std::size_t i = curve.size() - 1; i-- > 0;) below[i] = std::min(below[i], below[i + 1]);
  for (std::size_t i = 0; i < curve.size(); ++i) above[i] = (above[i] + below[i]) / 2;
  return above;
}

std::size_t crossing(const std::vector<double>& curve, const std::vector<double>& moved, double sign) {
  std::size_t i = 0;
  while (i < curve.size() && curve[i] + sign * moved[i] < 0) ++i;
  return i;
}

}  // namespace

Result<CompiledCurve> CompiledCurve::create(const Task& task, std::uint32_t attribute, double level,
                                            const std::optional<Query>& among, compiler::Work& work,
                                            compiler::Reference reference) {
  const Attribute& of = task.schema()[attribute];
  if (of.size() > kMaxValues) {
    return Error{ErrorCode::kLimitExceeded,
                 shown_name(of.name()) + " has more than 1,024 values: ask for shares of ranges instead"};
  }
  CompiledCurve curve;
  curve.first_ = static_cast<double>(of.min());
  curve.last_ = static_cast<double>(of.max());
  std::optional<Error> refused;
  for (std::uint32_t k = 0; k + 1 < of.size(); ++k) {
    auto excess =
        CompiledExpression::create(task, {}, {excess_at(task.schema(), attribute, k, level, among)}, work, reference);
    if (!excess && excess.error().code != ErrorCode::kQueryNotCovered) return excess.error();
    if (!excess) {
      refused = excess.error();
      continue;
    }
    curve.points_.push_back({static_cast<double>(of.min()) + k, *std::move(excess)});
  }
  if (curve.points_.empty()) return *refused;
  return curve;
}

Result<Answer> CompiledCurve::evaluate(const estimator::Estimator& estimator, double confidence) const {
  const std::size_t size = points_.size();
  const double each = 1 - (1 - confidence) / static_cast<double>(size);
  std::vector<double> curve;
  std::vector<double> errors;
  std::vector<double> influences;
  Answer answer{0, 0, {first_, last_}, {first_, last_}, compiler::Guarantee::kWorstCase, 0, {}};
  // If the interval of `excess` lies below 0, the quantile is above `value`. If the interval has no number below 0, the
  // quantile is at most `value`.
  const auto narrow = [](Interval& quantile, const Interval& excess, double value, double next) {
    if (excess.high < 0) quantile.low = std::max(quantile.low, next);
    if (excess.low >= 0) quantile.high = std::min(quantile.high, value);
  };
  bool few = false;
  for (std::size_t i = 0; i < size; ++i) {
    HEARSAY_TRY(const Answer excess, points_[i].excess.evaluate(estimator, each));
    curve.push_back(excess.value);
    errors.push_back(excess.standard_error);
    influences.push_back(excess.influence);
    narrow(answer.normal, excess.normal, points_[i].value, points_[i].value + 1);
    narrow(answer.guaranteed, excess.guaranteed, points_[i].value, points_[i].value + 1);
    if (excess.guarantee == compiler::Guarantee::kAverageCase) answer.guarantee = excess.guarantee;
    for (const std::string& warning : excess.warnings) few = few || warning.starts_with("few reports");
  }
  const std::vector<double> monotone = rising(curve);
  const auto value_at = [&](std::size_t place) { return place < size ? points_[place].value : last_; };
  const std::vector<double> none(size, 0);
  answer.value = value_at(crossing(monotone, none, 0));
  const auto spread = [&](const std::vector<double>& moved) {
    return std::pair{answer.value - value_at(crossing(monotone, moved, 1)),
                     value_at(crossing(monotone, moved, -1)) - answer.value};
  };
  const auto [before, after] = spread(errors);
  answer.standard_error = (before + after) / 2;
  const auto [less, more] = spread(influences);
  answer.influence = std::max(less, more);
  for (Interval* interval : {&answer.normal, &answer.guaranteed}) {
    interval->low = std::min(interval->low, interval->high);
  }
  if (few)
    answer.warnings.emplace_back(
        "few reports: the noise is not yet close to normal, so rely on the guaranteed interval");
  if (answer.guaranteed.low <= first_ && answer.guaranteed.high >= last_) {
    answer.warnings.emplace_back("the guaranteed interval holds all values: the answer says nothing yet");
  }
  return answer;
}

}  // namespace hearsay::measures
