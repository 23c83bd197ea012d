#include "aggregator/estimator/consistency/projection.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "aggregator/compiler/question_law.h"
#include "aggregator/estimator/consistency/consistent_tables.h"
#include "common/arrangement/characters.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"

namespace hearsay::estimator {
namespace {

using AttributeSet = std::vector<std::uint32_t>;  // ascending

AttributeSet attributes_of(const compiler::LinearQuery& query, const Characters& characters) {
  std::set<std::uint32_t> attributes;
  for (const auto& weight : query.weights) {
    const AttributeSet on = characters.attributes(weight.coordinate);
    attributes.insert(on.begin(), on.end());
  }
  for (const compiler::ProductTerm& term : query.terms) {
    for (const compiler::ProductTerm::Part& part : term.parts) attributes.insert(part.attribute);
  }
  return {attributes.begin(), attributes.end()};
}

Result<void> check_query(const Task& task, const Characters& characters, const compiler::LinearQuery& query) {
  const auto* sampled = std::get_if<SampledChannel>(&task.channel().kind());
  const bool has_coordinates = sampled == nullptr || sampled->asks_parities();
  bool good = has_coordinates ? query.terms.empty() : query.weights.empty();
  for (const auto& weight : query.weights) good = good && weight.coordinate < characters.dimension();
  for (const compiler::ProductTerm& term : query.terms) {
    for (const compiler::ProductTerm::Part& part : term.parts) {
      good = good && part.attribute < task.asked_schema().size() &&
             part.weights.size() == task.asked_schema()[part.attribute].size();
    }
  }
  if (good) return {};
  return Error{ErrorCode::kInvalidArgument, "the query was compiled for another task"};
}

// Returns Σ over the cells of (the fraction in the cell)·(the sum of the query's terms in the cell). `attributes` are
// the attributes of `cells`.
double sum_of_terms(const SampledChannel& channel, const compiler::LinearQuery& query, const AttributeSet& attributes,
                    const std::vector<double>& cells) {
  double sum = 0;
  for (const compiler::ProductTerm& term : query.terms) {
    // Sums over one attribute after the other, beginning with the last.
    std::vector<double> rest = cells;
    for (std::size_t i = attributes.size(); i-- > 0;) {
      const Questions& questions = channel.questions(attributes[i]);
      std::vector<double> function(questions.values(), 1);
      const auto part = std::ranges::find(term.parts, attributes[i], &compiler::ProductTerm::Part::attribute);
      if (part != term.parts.end()) {
        function = compiler::QuestionLaw(questions).apply(part->weights);
        for (double& value : function) value += part->mean;
      }
      std::vector<double> summed(rest.size() / function.size(), 0);
      for (std::size_t cell = 0; cell < rest.size(); ++cell) {
        summed[cell / function.size()] += rest[cell] * function[cell % function.size()];
      }
      rest = std::move(summed);
    }
    sum += term.factor * rest.front();
  }
  return sum;
}

// Leaves out each set that is part of another set: its table follows from the table of the larger set.
std::vector<AttributeSet> largest_sets(const std::set<AttributeSet>& sets) {
  std::vector<AttributeSet> result;
  for (const AttributeSet& set : sets) {
    const bool covered = std::any_of(sets.begin(), sets.end(), [&](const AttributeSet& other) {
      return other.size() > set.size() && std::includes(other.begin(), other.end(), set.begin(), set.end());
    });
    if (!covered && !set.empty()) result.push_back(set);
  }
  return result;
}

class Builder {
 public:
  Builder(const Task& task, const Characters& characters, const Estimator& estimator)
      : task_(task), characters_(characters), estimator_(estimator) {}

  Result<void> add_table(const AttributeSet& attributes) {
    std::uint32_t bits = 0;
    for (const std::uint32_t attribute : attributes) bits += characters_.bits(attribute);
    cells_ += bits < 32 ? std::size_t{1} << bits : kMaxTableCells + 1;
    if (cells_ > kMaxTableCells) {
      return Error{ErrorCode::kLimitExceeded, "the tables to be made consistent have more than 2^18 cells together"};
    }
    HEARSAY_TRY(TableShape shape, shape_of(attributes));
    problem_.tables.push_back(std::move(shape));
    return {};
  }

  // Returns the cells of the table on these attributes, at a point of the problem. The last attribute's value changes
  // fastest. Requires that a table with at least these attributes was added.
  Result<std::vector<double>> cells(const AttributeSet& attributes, const std::vector<double>& point) {
    HEARSAY_TRY(const TableShape shape, shape_of(attributes));
    const std::vector<double> patterns = cells_of(shape, point);
    std::size_t count = 1;
    for (const TableShape::Axis& axis : shape.axes) count *= axis.values;
    std::vector<double> cells(count);
    for (std::size_t cell = 0; cell < count; ++cell) {
      std::size_t pattern = 0;
      std::size_t rest = cell;
      for (std::size_t axis = shape.axes.size(); axis-- > 0; rest /= shape.axes[axis].values) {
        pattern |= rest % shape.axes[axis].values << shape.offset(axis);
      }
      cells[cell] = std::max(0.0, patterns[pattern]);  // below 0 only by rounding
    }
    return cells;
  }

  const TableProblem& problem() const { return problem_; }
  std::uint32_t number(std::uint32_t coordinate) const { return numbers_.at(coordinate); }

 private:
  Result<TableShape> shape_of(const AttributeSet& attributes) {
    TableShape shape;
    for (const std::uint32_t attribute : attributes) {
      shape.axes.push_back({characters_.bits(attribute), task_.asked_schema()[attribute].size()});
    }
    shape.variable.assign(std::size_t{1} << shape.offset(attributes.size()), 0);
    std::vector<Factor> factors;
    for (std::uint32_t i = 1; i < shape.variable.size(); ++i) {
      factors.clear();
      for (std::size_t axis = 0; axis < attributes.size(); ++axis) {
        const std::uint32_t mask = i >> shape.offset(axis) & ((1U << shape.axes[axis].bits) - 1);
        if (mask != 0) factors.push_back({attributes[axis], mask});
      }
      HEARSAY_TRY(shape.variable[i], variable(factors));
    }
    return shape;
  }

  Result<std::uint32_t> variable(const std::vector<Factor>& factors) {
    const std::uint32_t coordinate = characters_.coordinate(factors);
    if (const auto known = numbers_.find(coordinate); known != numbers_.end()) return known->second;
    AttributeSet attributes;
    for (const Factor& factor : factors) attributes.push_back(factor.attribute);
    HEARSAY_TRY(const CoordinateMeans means, estimator_.means(attributes));
    for (std::size_t i = 0; i < means.means.size(); ++i) {
      numbers_.emplace(means.first + static_cast<std::uint32_t>(i),
                       static_cast<std::uint32_t>(problem_.estimate.size()));
      problem_.estimate.push_back(means.means[i]);
      problem_.variance.push_back(means.variances[i]);
    }
    return numbers_.at(coordinate);
  }

  const Task& task_;
  const Characters& characters_;
  const Estimator& estimator_;
  TableProblem problem_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::size_t cells_ = 0;
};

}  // namespace

Result<Consistent> project(const Task& task, const Estimator& estimator, std::span<const compiler::LinearQuery> queries,
                           std::span<const std::vector<std::uint32_t>> tables, const std::stop_token& stop) {
  const auto* characters = std::get_if<Characters>(&task.arrangement().kind());
  if (characters == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 "only estimates from characters can be made consistent: average-case estimates from literals are not "
                 "the margins of any table"};
  }
  const Error stopped{ErrorCode::kCancelled, "the projection was stopped"};
  std::set<AttributeSet> sets;
  for (const compiler::LinearQuery& query : queries) {
    if (stop.stop_requested()) return stopped;
    HEARSAY_CHECK_OK(check_query(task, *characters, query));
    sets.insert(attributes_of(query, *characters));
  }
  for (const AttributeSet& attributes : tables) {
    HEARSAY_CHECK_OK(check_table(task, attributes));
    sets.insert(attributes);
  }
  Builder builder(task, *characters, estimator);
  for (const AttributeSet& set : largest_sets(sets)) {
    if (stop.stop_requested()) return stopped;
    if (set.size() > characters->order()) {
      return Error{ErrorCode::kInvalidArgument, "the query was compiled for another task"};
    }
    HEARSAY_CHECK_OK(builder.add_table(set));
  }
  HEARSAY_TRY(const ConsistentPoint point, nearest_consistent(builder.problem(), stop));
  Consistent result;
  for (const compiler::LinearQuery& query : queries) {
    double value = query.offset;
    for (const auto& weight : query.weights) value += weight.value * point.value[builder.number(weight.coordinate)];
    if (!query.terms.empty()) {
      const AttributeSet attributes = attributes_of(query, *characters);
      HEARSAY_TRY(const std::vector<double> cells, builder.cells(attributes, point.value));
      value += sum_of_terms(std::get<SampledChannel>(task.channel().kind()), query, attributes, cells);
    }
    result.values.push_back(value);
  }
  for (const AttributeSet& attributes : tables) {
    HEARSAY_TRY(std::vector<double> cells, builder.cells(attributes, point.value));
    result.tables.push_back(std::move(cells));
  }
  return result;
}

}  // namespace hearsay::estimator
