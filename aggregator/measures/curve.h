// Quantiles: the cumulative curve of an attribute, inverted.
//
// For a level q and a subpopulation W let g(k) = E[([x <= k] - q)·[x in W]], which is at least 0 exactly if the share
// of values up to k within W is at least q. So the quantile is the first k with g(k) >= 0, and no ratio is needed. All
// g(k) have intervals that cover at once (Bonferroni over the k); every quantile that they leave possible is in the
// answer's interval.
#pragma once

#include <optional>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "aggregator/measures/answer.h"
#include "aggregator/measures/expression.h"

namespace hearsay::measures {

class CompiledCurve {
 public:
  static constexpr std::uint32_t kMaxValues = 1024;

  // `level` in (0, 1). Where the task tells only some values apart, quantiles are the last values of what it does.
  // Errors: those of compile(), if the task answers no g(k); kLimitExceeded (an attribute of more than kMaxValues
  // values). Throws WorkStopped.
  static Result<CompiledCurve> create(const Task& task, std::uint32_t attribute, double level,
                                      const std::optional<Query>& among, compiler::Work& work,
                                      compiler::Reference reference);

  // The standard error is half the distance of the quantiles of the curve moved up and down by its own (Woodruff 1952).
  // Errors: those of CompiledExpression::evaluate().
  Result<Answer> evaluate(const estimator::Estimator& estimator, double confidence) const;

 private:
  struct Point {
    double value;  // k, as the attribute's number
    CompiledExpression excess;
  };
  std::vector<Point> points_;  // ascending, without the last value, where the curve is known
  double last_ = 0;            // the attribute's last value
  double first_ = 0;
};

}  // namespace hearsay::measures
