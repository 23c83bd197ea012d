#include "aggregator/estimator/questions/function_family.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "aggregator/compiler/question_law.h"
#include "common/base/try.h"
#include "common/channel/questions.h"

namespace hearsay::estimator {
namespace {

constexpr std::string_view kCoarser = "ask for a table of fewer or coarser attributes";

double is_value(std::size_t f, std::size_t value) { return f == value ? 1 : 0; }

double sign_of(std::size_t f, std::size_t value) { return (std::popcount((f + 1) & value) & 1) != 0 ? -1 : 1; }

}  // namespace

Result<void> FunctionFamilies::add(const QuestionIndex& index, std::uint32_t attribute, std::size_t count,
                                   double (*function)(std::size_t f, std::size_t value), compiler::Work& work) {
  const Questions& questions = index.channel().questions(attribute);
  const std::size_t values = questions.values();
  work.hold(compiler::saturated_product(2 * sizeof(double), compiler::saturated_product(count, values)), kCoarser);
  Axis axis{&questions, {}, {}, std::vector<double>(count * values)};
  const compiler::QuestionLaw& law = index.law(attribute, work);
  std::vector<double> g(values);
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t value = 0; value < values; ++value) g[value] = function(f, value);
    HEARSAY_TRY(const compiler::QuestionLaw::Solution solution, law.solve(g, work));
    axis.means.push_back(solution.mean);
    axis.energies.push_back(solution.energy);
    for (std::size_t value = 0; value < values; ++value) axis.weights[value * count + f] = solution.weights[value];
  }
  attributes_.push_back(attribute);
  axes_.push_back(std::move(axis));
  return {};
}

Result<FunctionFamilies> FunctionFamilies::indicators(const QuestionIndex& index,
                                                      std::span<const std::uint32_t> attributes, compiler::Work& work) {
  FunctionFamilies families;
  for (const std::uint32_t attribute : attributes) {
    HEARSAY_CHECK_OK(families.add(index, attribute, index.channel().questions(attribute).values(), is_value, work));
  }
  return families;
}

Result<FunctionFamilies> FunctionFamilies::parities(const QuestionIndex& index,
                                                    std::span<const std::uint32_t> attributes, compiler::Work& work) {
  FunctionFamilies families;
  for (const std::uint32_t attribute : attributes) {
    const std::size_t masks = (std::size_t{1} << index.channel().questions(attribute).value_bits()) - 1;
    HEARSAY_CHECK_OK(families.add(index, attribute, masks, sign_of, work));
  }
  return families;
}

bool FunctionFamilies::needs(AxisSet axes) const {
  constexpr double kRounding = 1e-12;
  double largest = 1;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    double of_axis = 0;
    for (std::size_t f = 0; f < count(i); ++f) {
      of_axis =
          std::max(of_axis, (axes >> i & 1U) != 0 ? std::sqrt(axes_[i].energies[f]) : std::abs(axes_[i].means[f]));
    }
    largest *= of_axis;
  }
  return largest > kRounding;
}

PartFunctions FunctionFamilies::value_functions() const {
  constexpr std::uint64_t kStepsPerValue = 8;
  PartFunctions functions;
  for (const Axis& axis : axes_) {
    functions.counts.push_back(axis.questions->values());
    functions.steps.push_back(kStepsPerValue * axis.questions->values());
  }
  functions.evaluate = [this](std::size_t axis, const QuestionIndex::Part& part, std::span<double> values) {
    const Questions& questions = *axes_[axis].questions;
    const double answers = questions.answers();
    for (std::uint32_t value = 0; value < values.size(); ++value) {
      values[value] = (questions.answer(part.question, value) == part.answer ? answers : 0) - 1;
    }
  };
  return functions;
}

void FunctionFamilies::weigh(std::span<const std::size_t> axes, std::vector<double>& sums, compiler::Work& work) const {
  std::size_t after = 1;  // number of cells of the later axes
  for (std::size_t i = axes.size(); i-- > 0;) {
    const Axis& axis = axes_[axes[i]];
    const std::size_t values = axis.questions->values();
    const std::size_t functions = axis.means.size();
    const std::size_t before = sums.size() / (values * after);
    std::vector<double> weighed(before * functions * after, 0);
    for (std::size_t b = 0; b < before; ++b) {
      for (std::size_t value = 0; value < values; ++value) {
        const double* from = sums.data() + (b * values + value) * after;
        for (std::size_t f = 0; f < functions; ++f) {
          work.spend(after);
          const double weight = axis.weights[value * functions + f];
          double* to = weighed.data() + (b * functions + f) * after;
          for (std::size_t j = 0; j < after; ++j) to[j] += weight * from[j];
        }
      }
    }
    sums = std::move(weighed);
    after *= functions;
  }
}

PartFunctions FunctionFamilies::score_functions() const {
  PartFunctions functions;
  for (const Axis& axis : axes_) {
    functions.counts.push_back(2 * axis.means.size() + 1);
    functions.steps.push_back(axis.weights.size());
  }
  functions.evaluate = [this](std::size_t i, const QuestionIndex::Part& part, std::span<double> values) {
    const Axis& axis = axes_[i];
    const std::size_t count = axis.means.size();
    const double answers = axis.questions->answers();
    std::ranges::fill(values, 0.0);
    for (std::uint32_t value = 0; value < axis.questions->values(); ++value) {
      const double belief = (axis.questions->answer(part.question, value) == part.answer ? answers : 0) - 1;
      const double* weights = axis.weights.data() + std::size_t{value} * count;
      for (std::size_t f = 0; f < count; ++f) values[1 + f] += belief * weights[f];
    }
    values[0] = 1;
    for (std::size_t f = 0; f < count; ++f) values[1 + count + f] = values[1 + f] * values[1 + f];
  };
  return functions;
}

}  // namespace hearsay::estimator
