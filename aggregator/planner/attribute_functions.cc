#include "aggregator/planner/attribute_functions.h"

#include <algorithm>
#include <utility>

#include "common/base/try.h"

namespace hearsay::planner {
namespace {

constexpr std::uint32_t kMostAdjustedValues = 128;

}  // namespace

Result<AttributeFunctions> AttributeFunctions::create(const QuestionSpec& spec, std::uint32_t values, bool adjust) {
  HEARSAY_TRY(const Questions questions, Questions::create(spec, values));
  const auto* circle = std::get_if<CircleQuestions>(&spec);
  const bool can = adjust && circle != nullptr && circle->places == values && values <= kMostAdjustedValues;
  return AttributeFunctions(questions, can ? std::optional(CircleFunctions(values, circle->bits)) : std::nullopt);
}

Result<std::size_t> AttributeFunctions::number_of(const std::vector<double>& function) {
  const auto known = known_.find(function);
  if (known != known_.end()) return known->second;
  std::size_t number = fixed_.size();
  if (circle_) {
    number = circle_->add(function);
  } else {
    HEARSAY_TRY(FunctionMoments moments, fixed(function));
    fixed_.push_back(std::move(moments));
  }
  known_.emplace(function, number);
  return number;
}

Result<FunctionMoments> AttributeFunctions::fixed(const std::vector<double>& function) const {
  HEARSAY_TRY(const compiler::QuestionLaw::Solution solution, law_.solve(function));
  // The two scores of a one-bit answer are opposite. So for answers of one bit, the moment at every value is the
  // energy.
  std::vector<double> moments(function.size(), solution.energy);
  if (questions_.width() > 1) {
    if (!moments_.is_exact())
      return Error{ErrorCode::kLimitExceeded, "an attribute has too many values to compute its second moments"};
    moments = moments_.at_values(solution.weights, solution.weights);
  }
  std::map<double, double> largest;
  for (std::size_t v = 0; v < moments.size(); ++v) {
    double& moment = largest[function[v]];
    moment = std::max(moment, moments[v]);
  }
  FunctionMoments result{solution.mean, solution.energy, {}};
  for (const auto& [value, moment] : largest) result.kinds.push_back({value - solution.mean, moment});
  return result;
}

Eigen::VectorXd AttributeFunctions::initial_weights() const {
  // The part of the total weight that all multipliers share, since a weight of 0 would stay 0.
  constexpr double kOfAll = 0.1;
  const auto& given = std::get<CircleQuestions>(questions_.spec());
  const auto count = static_cast<Eigen::Index>(circle_->multipliers());
  return (1 - kOfAll) * circle_->weights_of(given) +
         Eigen::VectorXd::Constant(count, kOfAll / static_cast<double>(count));
}

QuestionSpec AttributeFunctions::spec(const Eigen::VectorXd& weights) const {
  if (!circle_) return questions_.spec();
  return circle_->spec(weights);
}

}  // namespace hearsay::planner
