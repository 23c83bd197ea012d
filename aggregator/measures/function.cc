#include "aggregator/measures/function.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/question_law.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/schema/names.h"

namespace hearsay::measures {
namespace {

using compiler::LinearQuery;

constexpr std::uint32_t kMaxValues = 4096;
constexpr std::size_t kMaxPairs = 1024;  // pairs of values, summed over all products of two attributes' numbers
constexpr double kRounding = 1e-12;

Query at_least(std::uint32_t attribute, std::uint32_t from, std::uint32_t size) {
  return Query(query::Membership{attribute, {{from, size - 1}}});
}

// Adds p·q, where p and q are functions of one attribute each. q is the sum of its first value and of one step at each
// further value. So p·q is a sum of multiples of p within subpopulations: all people, and the people at or above each
// further value of q's attribute.
void add_steps(const Function::Piece& p, const Function::Piece& q, Function& result) {
  const std::optional<Query> where = both(p.where, q.where);
  const auto size = static_cast<std::uint32_t>(q.values.size());
  result.pieces.push_back({p.scale * q.scale * q.values.front(), p.attribute, p.values, where});
  for (std::uint32_t value = 1; value < size; ++value) {
    const double step = q.values[value] - q.values[value - 1];
    result.pieces.push_back(
        {p.scale * q.scale * step, p.attribute, p.values, both(at_least(*q.attribute, value, size), where)});
  }
}

// If the task has no cuts, and the compiler scores answers attribute by attribute, the scores depend linearly on the
// function. Then a sum of functions of one attribute is compiled as one function.
bool is_scored_by_attribute(const Task& task) {
  const auto* channel = std::get_if<SampledChannel>(&task.channel().kind());
  return channel != nullptr && std::holds_alternative<Characters>(task.arrangement().kind()) &&
         !channel->asks_parities() && task.coarsening() == nullptr;
}

class Compiler {
 public:
  Compiler(const Task& task, compiler::Work& work, compiler::Reference reference)
      : task_(task), work_(work), reference_(reference) {}

  Result<void> add(const Function::Piece& piece) {
    if (!piece.attribute) return add_query(piece.scale, piece.where);
    const std::uint32_t attribute = *piece.attribute;
    const auto size = static_cast<std::uint32_t>(piece.values.size());
    if (!piece.where && is_scored_by_attribute(task_)) return add_scores(piece);
    if (size > kMaxValues) {
      return Error{ErrorCode::kLimitExceeded, shown_name(task_.schema()[attribute].name()) +
                                                  " has more than 4,096 values: ask for shares of ranges instead"};
    }
    HEARSAY_CHECK_OK(add_query(piece.scale * piece.values.front(), piece.where));
    for (std::uint32_t value = 1; value < size; ++value) {
      const double step = piece.values[value] - piece.values[value - 1];
      if (step == 0) continue;
      HEARSAY_CHECK_OK(add_query(piece.scale * step, both(at_least(attribute, value, size), piece.where)));
    }
    return {};
  }

  CompiledFunction finish() {
    std::vector<std::pair<double, const LinearQuery*>> views;
    for (const auto& [scale, form] : parts_) views.emplace_back(scale, &form);
    CompiledFunction result{combination(views)};
    result.linear.offset += offset_;
    if (result.linear.guarantee == compiler::Guarantee::kAverageCase && parts_.size() > 1) {
      result.parts = std::move(parts_);
    }
    return result;
  }

 private:
  Result<void> add_query(double scale, const std::optional<Query>& query) {
    if (!query) {
      offset_ += scale;
      return {};
    }
    if (scale == 0) return {};
    HEARSAY_TRY(compiler::CompiledQuery compiled, compiler::compile(task_, *query, work_, reference_));
    work_.hold(compiler::bytes_of(compiled.linear), "ask for fewer values");
    compiled.linear.best_for_worst_people = false;  // covariances of functions need linear scores
    parts_.emplace_back(scale, std::move(compiled.linear));
    return {};
  }

  Result<void> add_scores(const Function::Piece& piece) {
    const std::uint32_t attribute = *piece.attribute;
    const auto& channel = std::get<SampledChannel>(task_.channel().kind());
    const std::uint32_t asked[] = {attribute};
    if (!channel.asks(asked)) return compiler::never_asked(task_.schema(), asked);
    const compiler::QuestionLaw law(channel.questions(attribute), work_);
    auto solution = law.solve(piece.values, work_);
    if (!solution) {
      return Error{solution.error().code, "the questions about " + shown_name(task_.schema()[attribute].name()) +
                                              " do not tell its mean: " + solution.error().message};
    }
    LinearQuery form;
    form.terms.push_back({1, {{attribute, solution->mean, std::move(solution->weights), solution->energy}}});
    parts_.emplace_back(piece.scale, std::move(form));
    return {};
  }

  const Task& task_;
  compiler::Work& work_;
  compiler::Reference reference_;
  double offset_ = 0;
  std::vector<std::pair<double, LinearQuery>> parts_;
};

}  // namespace

Function Function::of(Query query) { return {{Piece{1, std::nullopt, {}, std::move(query)}}}; }

Function Function::of_numbers(const Schema& schema, std::uint32_t attribute, double origin,
                              std::optional<Query> where) {
  Piece piece{1, attribute, {}, std::move(where)};
  for (std::uint32_t i = 0; i < schema[attribute].size(); ++i) {
    piece.values.push_back(static_cast<double>(schema[attribute].min()) + i - origin);
  }
  return {{std::move(piece)}};
}

void Function::add(double scale, const Function& f) {
  for (Piece piece : f.pieces) {
    piece.scale *= scale;
    pieces.push_back(std::move(piece));
  }
}

bool Function::is_query() const { return pieces.size() == 1 && pieces.front().scale == 1 && !pieces.front().attribute; }

std::pair<double, double> Function::range() const {
  double low = 0;
  double high = 0;
  for (const Piece& piece : pieces) {
    double least = piece.attribute ? piece.values.front() * piece.scale : piece.scale;
    double most = least;
    for (const double value : piece.values) {
      least = std::min(least, value * piece.scale);
      most = std::max(most, value * piece.scale);
    }
    low += piece.where ? std::min(least, 0.0) : least;
    high += piece.where ? std::max(most, 0.0) : most;
  }
  return {low, high};
}

std::optional<Query> both(const std::optional<Query>& q, const std::optional<Query>& r) {
  if (!q) return r;
  if (!r) return q;
  return Query(query::And{{*q, *r}});
}

std::optional<Function> product(const Function& f, const Function& g) {
  Function result;
  std::size_t pairs = 0;
  for (const Function::Piece& p : f.pieces) {
    for (const Function::Piece& q : g.pieces) {
      if (p.attribute && q.attribute && *p.attribute != *q.attribute) {
        pairs += p.values.size() * q.values.size();
        if (pairs > kMaxPairs) return std::nullopt;
        add_steps(p, q, result);
        continue;
      }
      Function::Piece piece{p.scale * q.scale, p.attribute ? p.attribute : q.attribute,
                            p.attribute ? p.values : q.values, both(p.where, q.where)};
      if (p.attribute && q.attribute) {
        for (std::size_t i = 0; i < piece.values.size(); ++i) piece.values[i] *= q.values[i];
      }
      result.pieces.push_back(std::move(piece));
    }
  }
  return result;
}

LinearQuery combination(const std::vector<std::pair<double, const LinearQuery*>>& parts) {
  if (parts.size() == 1 && parts.front().first == 1) return *parts.front().second;
  LinearQuery result;
  struct Sum {
    double value = 0;
    double magnitude = 0;  // the sum of the absolute values
  };
  std::map<std::uint32_t, Sum> weights;
  double instance_deviation = 0;
  double mean_deviation = 0;
  for (const auto& [scale, form] : parts) {
    result.offset += scale * form->offset;
    for (const LinearQuery::Weight& weight : form->weights) {
      Sum& sum = weights[weight.coordinate];
      sum.value += scale * weight.value;
      sum.magnitude += std::abs(scale * weight.value);
    }
    for (compiler::ProductTerm term : form->terms) {
      term.factor *= scale;
      result.terms.push_back(std::move(term));
    }
    if (form->guarantee == compiler::Guarantee::kAverageCase) result.guarantee = form->guarantee;
    const auto& variance = form->class_variance;
    const auto& of_means = form->class_mean_variance;
    instance_deviation += std::abs(scale) * std::sqrt(std::max(variance[0], variance[1]));
    mean_deviation += std::abs(scale) * std::sqrt(std::max(of_means[0], of_means[1]));
  }
  // A weight that cancels up to rounding becomes 0, since possibly no report shows its coordinate.
  for (const auto& [coordinate, sum] : weights) {
    if (std::abs(sum.value) > kRounding * sum.magnitude) result.weights.push_back({coordinate, sum.value});
  }
  result.class_variance.fill(instance_deviation * instance_deviation);
  // The factor 2 makes up for the factor ω² + (1-ω)² of this variance, which may be as small as one half.
  result.class_mean_variance.fill(2 * mean_deviation * mean_deviation);
  return result;
}

Result<CompiledFunction> compile(const Task& task, const Function& function, compiler::Work& work,
                                 compiler::Reference reference) {
  Compiler compiler(task, work, reference);
  for (const Function::Piece& piece : function.pieces) HEARSAY_CHECK_OK(compiler.add(piece));
  CompiledFunction result = compiler.finish();
  if (!function.is_query()) {
    const auto [low, high] = function.range();
    result.linear.range = {low, high};
    result.linear.population_variance = 0;
  }
  return result;
}

}  // namespace hearsay::measures
