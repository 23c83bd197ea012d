// Evaluates differences and ratios of means of functions, with normal and guaranteed intervals.
//
// A value is V(μ), where μ are the means of the functions f_1, …, f_k. To first order, the error of the value is the
// error of the mean of Σ_i ∂V/∂μ_i·f_i. This sum is compiled to one affine form, so its variance includes all
// covariances. The intervals of ratios do without this approximation: see intervals.h.
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
  std::size_t function = 0;          // kMean: the number of the function
  double offset = 0;                 // kRatio: added to the ratio
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
  // The products f_i·f_j for i <= j, at position i·k + j. The products give the variance of a sum of functions among
  // the reporters, which is not part of the error. An element is empty if the task cannot answer the product. All
  // elements are empty if the channel's variance does not include the variance among the reporters, or if the only
  // function is a query.
  std::vector<std::optional<compiler::LinearQuery>> products_;
};

// If a denominator is fewer than kTrustedDenominator standard errors from 0, the answer gets a warning. Let the
// relative standard error of the denominator be c = 1/10. Then the ratio has a relative bias of about c² = 1 %, and the
// first-order standard error is off by about 1.5 %. Fieller's interval at 95 % is wider than the symmetric interval by
// at most the factor 1/(1 - 1.96²c²), or 4 %.
inline constexpr double kTrustedDenominator = 10;

}  // namespace hearsay::measures
