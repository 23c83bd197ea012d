#include "aggregator/measures/truth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "aggregator/measures/cells.h"
#include "aggregator/measures/function.h"

namespace hearsay::measures {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Evaluation {
 public:
  Evaluation(const Schema& schema, std::span<const Record> people) : schema_(schema), people_(people) {}

  double value(const Measure& measure, const std::optional<Query>& within) const {
    const std::optional<Query> among = both(within, measure.among);
    switch (measure.kind) {
      case Kind::kMean:
        return mean(measure.attributes, among);
      case Kind::kQuantile:
        return quantile(measure.attributes.front(), measure.level, among);
      case Kind::kDifference:
        return value(measure.operands[0], among) - value(measure.operands[1], among);
      case Kind::kRatio: {
        const double denominator = value(measure.operands[1], among);
        return denominator == 0 ? kNone : value(measure.operands[0], among) / denominator;
      }
      default:
        return share(*measure.query, among);
    }
  }

  double share(const Query& query, const std::optional<Query>& among) const {
    std::size_t all = 0;
    std::size_t satisfied = 0;
    for (const Record& person : people_) {
      if (among && !among->evaluate(person)) continue;
      ++all;
      satisfied += query.evaluate(person) ? 1 : 0;
    }
    return all == 0 ? kNone : static_cast<double>(satisfied) / static_cast<double>(all);
  }

 private:
  double mean(const std::vector<std::uint32_t>& attributes, const std::optional<Query>& among) const {
    double sum = 0;
    double all = 0;
    for (const Record& person : people_) {
      if (among && !among->evaluate(person)) continue;
      ++all;
      for (const std::uint32_t attribute : attributes) {
        sum += static_cast<double>(schema_[attribute].min()) + person[attribute];
      }
    }
    return all == 0 ? kNone : sum / all;
  }

  double quantile(std::uint32_t attribute, double level, const std::optional<Query>& among) const {
    std::vector<std::uint32_t> values;
    for (const Record& person : people_) {
      if (!among || among->evaluate(person)) values.push_back(person[attribute]);
    }
    if (values.empty()) return kNone;
    std::sort(values.begin(), values.end());
    const double place = std::ceil(level * static_cast<double>(values.size()) - 1e-9) - 1;  // 1e-9 covers rounding
    const auto index = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(values.size() - 1)));
    return static_cast<double>(schema_[attribute].min()) + values[index];
  }

  const Schema& schema_;
  std::span<const Record> people_;
};

}  // namespace

std::vector<double> true_values(const Task& task, const Measure& measure, std::span<const Record> people) {
  const Evaluation evaluation(task.schema(), people);
  std::vector<std::optional<Query>> groups;
  if (measure.by) {
    for (ValueSet& cell : cells_of(task, *measure.by)) groups.emplace_back(in(*measure.by, std::move(cell)));
  } else {
    groups.emplace_back(std::nullopt);
  }
  std::vector<double> values;
  for (const std::optional<Query>& group : groups) {
    if (measure.kind != Kind::kHistogram && measure.kind != Kind::kCumulative) {
      values.push_back(evaluation.value(measure, group));
      continue;
    }
    const std::uint32_t attribute = measure.attributes.front();
    for (ValueSet& cell : cells_of(task, attribute)) {
      if (measure.kind == Kind::kCumulative) cell.front().first = 0;
      values.push_back(evaluation.share(in(attribute, std::move(cell)), both(group, measure.among)));
    }
  }
  return values;
}

}  // namespace hearsay::measures
