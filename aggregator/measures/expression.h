// Differences and ratios of means of functions, with both kinds of intervals.
//
// A value is V(μ), where μ are the means of the functions f_1, …, f_k. To first order its error is that of Σ
// ∂V/∂μ_i·f_i. This is one affine form, whose variance holds all covariances. The intervals of ratios do not rely on
// the first order, see intervals.h.
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
  // Compiles an expression. Errors: those of compile(). Throws WorkStopped.
  static Result<CompiledExpression> create(const Task& task, Expression expression,
                                           const std::vector<Function>& functions, compiler::Work& work,
                                           compiler::Reference reference);

  // Answers the expression. Errors: those of Estimator::estimate(); kUnsupported (a denominator whose estimate is
  // exactly 0).
  Result<Answer> evaluate(const estimator::Estimator& estimator, double confidence) const;

 private:
  struct Node;
  class Evaluation;
  Expression expression_;
  std::vector<CompiledFunction> functions_;
  // f_i·f_j for i <= j, at i·k + j. They give Var_x of a sum of functions among the reporters, which is no error. Empty
  // for a channel that counts it as error, for a function that is a query, and for a product that the task cannot
  // answer.
  std::vector<std::optional<compiler::LinearQuery>> products_;
};

// A denominator that is fewer standard errors from 0 than this gets a warning. If the relative standard error of the
// denominator is c = 1/10, the first-order value is off by c² = 1 % of itself, and its standard error by 1.5 % of
// itself. Fieller's interval at 95 % is then at most 4 % (1/(1 - 1.96²c²)) wider than the symmetric one.
inline constexpr double kTrustedDenominator = 10;

}  // namespace hearsay::measures
