#include "aggregator/measures/expression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "aggregator/measures/intervals.h"
#include "aggregator/tails/distributions.h"
#include "common/base/try.h"
#include "common/channel/channel.h"

namespace hearsay::measures {
namespace {

using compiler::LinearQuery;
using estimator::Estimate;

bool counts_people(const Task& task) { return !std::holds_alternative<LaplaceChannel>(task.channel().kind()); }

void add_warnings(const std::vector<std::string>& from, std::vector<std::string>& to) {
  for (const std::string& warning : from) {
    if (std::find(to.begin(), to.end(), warning) == to.end()) to.push_back(warning);
  }
}

std::string weak_denominator(double value, double standard_error) {
  std::ostringstream text;
  text.precision(2);
  text << "too small a denominator: " << value << " with standard error " << standard_error
       << ", fewer than 10 standard errors from 0; rely on the intervals, not on value and standard error";
  return text.str();
}

}  // namespace

struct CompiledExpression::Node {
  double value;
  std::vector<double> gradient;
  Interval normal;
  Interval guaranteed;
};

class CompiledExpression::Evaluation {
 public:
  Evaluation(const CompiledExpression& expression, const estimator::Estimator& estimator, double confidence,
             double quantile)
      : of_(expression), estimator_(estimator), confidence_(confidence), quantile_(quantile) {}

  Result<Answer> run() {
    HEARSAY_CHECK_OK(estimate_functions());
    HEARSAY_TRY(const Node node, node_of(of_.expression_));
    HEARSAY_TRY(const Estimate whole, combined(node.gradient));
    if (of_.functions_.size() > 1) add_warnings(whole.warnings, warnings_);
    if (!is_bounded(node.normal)) {
      warnings_.emplace_back("the normal interval is unbounded: the denominator cannot be told from 0");
    }
    return Answer{node.value,      whole.standard_error, node.normal,         node.guaranteed,
                  whole.guarantee, whole.influence,      std::move(warnings_)};
  }

 private:
  std::size_t size() const { return of_.functions_.size(); }

  const std::optional<LinearQuery>& product(std::size_t i, std::size_t j) const {
    return of_.products_[std::min(i, j) * size() + std::max(i, j)];
  }

  // Each interval gets an equal share of β = 1 - confidence, so that all guaranteed intervals hold at the same time.
  Result<void> estimate_functions() {
    const double share = 1 - (1 - confidence_) / static_cast<double>(size());
    for (std::size_t i = 0; i < size(); ++i) {
      LinearQuery form = of_.functions_[i].linear;
      HEARSAY_TRY(Estimate first, estimator_.estimate(form, share));
      means_.push_back(first.value);
      if (form.population_variance) {
        std::vector<double> only(size(), 0);
        only[i] = 1;
        HEARSAY_TRY(form.population_variance, people_variance(only));
        HEARSAY_TRY(first, estimator_.estimate(form, share));
      }
      if (size() == 1) add_warnings(first.warnings, warnings_);
      HEARSAY_TRY(const Interval guaranteed, guaranteed_of(i, first, share));
      guaranteed_.push_back(guaranteed);
    }
    return {};
  }

  Result<Interval> guaranteed_of(std::size_t i, const Estimate& estimate, double share) const {
    const CompiledFunction& function = of_.functions_[i];
    if (function.parts.empty()) return estimate.guaranteed;
    const double each = 1 - (1 - share) / static_cast<double>(function.parts.size());
    double half_width = 0;
    for (const auto& [scale, form] : function.parts) {
      HEARSAY_TRY(const Estimate part, estimator_.estimate(form, each));
      half_width += std::abs(scale) * (part.guaranteed.high - part.guaranteed.low) / 2;
    }
    return Interval{estimate.value - half_width, estimate.value + half_width};
  }

  // Returns an estimate of the variance of Σ c_i·f_i among the reporters. If the task cannot answer a product that this
  // variance needs, returns 0. Then the variance of the value is too large rather than too small.
  Result<double> people_variance(const std::vector<double>& c) const {
    double square = 0;
    double mean = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (c[i] == 0) continue;
      mean += c[i] * means_[i];
      for (std::size_t j = i; j < size(); ++j) {
        if (c[j] == 0) continue;
        if (!product(i, j)) return 0.0;
        const auto moment = estimator_.estimate(*product(i, j), confidence_);
        if (!moment && moment.error().code == ErrorCode::kCancelled) return moment.error();
        if (!moment) return 0.0;
        square += (i == j ? 1 : 2) * c[i] * c[j] * moment->value;
      }
    }
    return std::max(0.0, square - mean * mean);
  }

  Result<Estimate> combined(const std::vector<double>& c) const {
    std::vector<std::pair<double, const LinearQuery*>> parts;
    for (std::size_t i = 0; i < size(); ++i) {
      if (c[i] != 0) parts.emplace_back(c[i], &of_.functions_[i].linear);
    }
    LinearQuery form = combination(parts);
    const bool is_query = parts.size() == 1 && parts.front().first == 1 && !form.population_variance;
    if (!is_query) {
      HEARSAY_TRY(form.population_variance, people_variance(c));
      if (size() > 1) form.range = {unbounded().low, unbounded().high};
    }
    return estimator_.estimate(form, confidence_);
  }

  Result<double> variance(const std::vector<double>& c) const {
    HEARSAY_TRY(const Estimate estimate, combined(c));
    return estimate.standard_error * estimate.standard_error;
  }

  Result<Pair> pair_of(const Node& first, const Node& second) const {
    std::vector<double> difference(size());
    for (std::size_t i = 0; i < size(); ++i) difference[i] = first.gradient[i] - second.gradient[i];
    HEARSAY_TRY(const double of_first, variance(first.gradient));
    HEARSAY_TRY(const double of_second, variance(second.gradient));
    HEARSAY_TRY(const double of_difference, variance(difference));
    return Pair{first.value, second.value, of_first, of_second, (of_first + of_second - of_difference) / 2};
  }

  Result<Node> node_of(const Expression& expression) {
    if (expression.kind == Expression::Kind::kMean) return mean_node(expression.function);
    HEARSAY_TRY(const Node first, node_of(expression.operands[0]));
    HEARSAY_TRY(const Node second, node_of(expression.operands[1]));
    HEARSAY_TRY(const Pair pair, pair_of(first, second));
    if (expression.kind == Expression::Kind::kDifference) {
      Node node{first.value - second.value, first.gradient, recovered(pair, first.normal, second.normal),
                difference(first.guaranteed, second.guaranteed)};
      for (std::size_t i = 0; i < size(); ++i) node.gradient[i] -= second.gradient[i];
      return node;
    }
    return ratio_node(first, second, pair, expression.offset);
  }

  Result<Node> mean_node(std::size_t i) const {
    Node node{means_[i], std::vector<double>(size(), 0), {}, guaranteed_[i]};
    node.gradient[i] = 1;
    HEARSAY_TRY(const Estimate estimate, combined(node.gradient));
    node.normal = estimate.normal;
    return node;
  }

  Result<Node> ratio_node(const Node& first, const Node& second, const Pair& pair, double offset) {
    if (second.value == 0) return Error{ErrorCode::kUnsupported, "the denominator is estimated as exactly 0"};
    const double deviation = std::sqrt(pair.second_variance);
    if (std::abs(second.value) < kTrustedDenominator * deviation) {
      add_warnings({weak_denominator(second.value, deviation)}, warnings_);
    }
    const double value = first.value / second.value;
    const bool is_normal = is_bounded(second.normal) && is_bounded(first.normal);
    Node node{value, first.gradient, is_normal ? fieller(pair, quantile_) : unbounded(),
              ratio(first.guaranteed, second.guaranteed)};
    for (std::size_t i = 0; i < size(); ++i) {
      node.gradient[i] = (first.gradient[i] - value * second.gradient[i]) / second.value;
    }
    node.value += offset;
    for (Interval* interval : {&node.normal, &node.guaranteed}) {
      interval->low += offset;
      interval->high += offset;
    }
    return node;
  }

  const CompiledExpression& of_;
  const estimator::Estimator& estimator_;
  double confidence_;
  double quantile_;
  std::vector<double> means_;
  std::vector<Interval> guaranteed_;
  std::vector<std::string> warnings_;
};

Result<CompiledExpression> CompiledExpression::create(const Task& task, Expression expression,
                                                      const std::vector<Function>& functions, compiler::Work& work,
                                                      compiler::Reference reference) {
  CompiledExpression result;
  result.expression_ = std::move(expression);
  const std::size_t size = functions.size();
  result.products_.resize(size * size);
  for (const Function& function : functions) {
    HEARSAY_TRY(CompiledFunction compiled, compile(task, function, work, reference));
    result.functions_.push_back(std::move(compiled));
  }
  if (!counts_people(task) || (size == 1 && functions.front().is_query())) return result;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      const std::optional<Function> square = product(functions[i], functions[j]);
      if (!square) continue;
      auto compiled = compile(task, *square, work, reference);
      if (compiled) result.products_[i * size + j] = std::move(compiled->linear);
    }
  }
  return result;
}

Result<Answer> CompiledExpression::evaluate(const estimator::Estimator& estimator, double confidence) const {
  HEARSAY_TRY(const double quantile, tails::normal_upper_quantile((1 - confidence) / 2));
  return Evaluation(*this, estimator, confidence, quantile).run();
}

}  // namespace hearsay::measures
