// Differences and ratios of means of functions, with the intervals of both kinds.
//
// A value is V(μ), μ the means of the functions f_1, …, f_k. To first order its error is that of Σ ∂V/∂μ_i·f_i, which
// is one affine form: its variance holds all covariances. Ratios do not rely on that for their intervals, see
// intervals.h.
#pragma once

#include <optional>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "aggregator/measures/answer.h"
#include "aggregator/measures/function.h"

namespace hearsay::measures {

struct Expression {
  enum class Kind : std::uint8_t { kMean, kDifference, kRatio };
  Kind kind = Kind::kMean;
  std::size_t function = 0;          // kMean
  double offset = 0;                 // kRatio: added to it
  std::vector<Expression> operands;  // kDifference, kRatio: two
};

// An expression whose functions are compiled for a task. Thread-safe.
class CompiledExpression {
 public:
  // Errors: those of compile(). Throws WorkStopped.
  static Result<CompiledExpression> create(const Task& task, Expression expression,
                                           const std::vector<Function>& functions, compiler::Work& work,
                                           compiler::Reference reference);

  // Errors: those of Estimator::estimate(); kUnsupported (a denominator whose estimate is exactly 0).
  Result<Answer> evaluate(const estimator::Estimator& estimator, double confidence) const;

 private:
  struct Node;
  class Evaluation;
  Expression expression_;
  std::vector<CompiledFunction> functions_;
  // f_i·f_j for i <= j, by i·k + j: Var_x of a sum of functions, among the reporters, counts as no error. None where no
  // channel counts it as one, where the function is a query, and where the task cannot answer it.
  std::vector<std::optional<compiler::LinearQuery>> products_;
};

// A denominator that is fewer standard errors from 0 than this has a warning. With c = 1/10 the relative standard error
// of the denominator, the first-order value is off by c² = 1 % of itself, its standard error by a relative 1.5 %, and
// Fieller's interval at 95 % is at most 4 % (1/(1 - 1.96²c²)) wider than the symmetric one.
inline constexpr double kTrustedDenominator = 10;

}  // namespace hearsay::measures
