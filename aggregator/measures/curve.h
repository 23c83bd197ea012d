// Estimates quantiles, from the cumulative shares of an attribute's values.
//
// For a level q and a subpopulation W, let g(k) = E[([x <= k] - q)·[x in W]], where E is the mean over the reporters,
// and x a reporter's value. g(k) >= 0 if and only if the share of values up to k within W is at least q. So the
// quantile is the first k with g(k) >= 0, and no ratio is needed. The intervals of all g(k) hold at the same time
// (Bonferroni). The answer's interval contains every quantile that these intervals allow.
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

  // `level` is in (0, 1). If the task cuts the attribute into cells, a quantile is the last value of a cell. Errors:
  // kQueryNotCovered (the task can answer none of the g(k)); the other errors of compile(); kLimitExceeded (an
  // attribute of more than kMaxValues values). Throws WorkStopped.
  static Result<CompiledCurve> create(const Task& task, std::uint32_t attribute, double level,
                                      const std::optional<Query>& among, compiler::Work& work,
                                      compiler::Reference reference);

  // Answers the quantile. The function raises the curve by the curve's standard errors, and lowers the curve likewise.
  // This gives two quantiles. Half the distance between the two quantiles is the standard error (Woodruff 1952).
  // Errors: those of CompiledExpression::evaluate().
  Result<Answer> evaluate(const estimator::Estimator& estimator, double confidence) const;

 private:
  struct Point {
    double value;  // k, as the attribute's number
    CompiledExpression excess;
  };
  // In ascending order, without the values whose g the task cannot answer, and without the last value. At the last
  // value g is known, since all values are at most the last value.
  std::vector<Point> points_;
  double last_ = 0;  // the attribute's last value
  double first_ = 0;
};

}  // namespace hearsay::measures
