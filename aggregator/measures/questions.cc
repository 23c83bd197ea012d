#include "aggregator/measures/questions.h"

#include <algorithm>
#include <utility>

#include "aggregator/measures/cells.h"
#include "aggregator/measures/function.h"
#include "common/base/number_text.h"
#include "common/base/try.h"

namespace hearsay::measures {
namespace {

constexpr std::size_t kMaxRows = 4096;

class Builder {
 public:
  explicit Builder(const Schema& schema) : schema_(schema) {}

  Expression build(const Measure& measure, const std::optional<Query>& within) {
    const std::optional<Query> among = both(within, measure.among);
    if (measure.kind == Kind::kMean) return mean(measure.attributes, among);
    if (measure.operands.empty()) return share(*measure.query, among);
    const Expression first = build(measure.operands[0], among);
    const Expression second = build(measure.operands[1], among);
    if (measure.kind == Kind::kDifference) return difference(first, second);
    return {Expression::Kind::kRatio, 0, 0, {first, second}};
  }

  // Within a subpopulation, subtracts the middle of each attribute's range from its numbers, and adds this middle to
  // the mean afterwards. Smaller numerators give ratios narrower guaranteed intervals.
  Expression mean(const std::vector<std::uint32_t>& attributes, const std::optional<Query>& among) {
    Function sum;
    double middle = 0;
    for (const std::uint32_t attribute : attributes) {
      const Attribute& of = schema_[attribute];
      const double origin = among ? (static_cast<double>(of.min()) + static_cast<double>(of.max())) / 2 : 0;
      middle += origin;
      sum.add(1, Function::of_numbers(schema_, attribute, origin, among));
    }
    return ratio(std::move(sum), among, middle);
  }

  Expression share(const Query& query, const std::optional<Query>& among) {
    return ratio(Function::of(*both(query, among)), among, 0);
  }

  const std::vector<Function>& functions() const { return functions_; }

 private:
  Expression add(Function function) {
    functions_.push_back(std::move(function));
    return {Expression::Kind::kMean, functions_.size() - 1, 0, {}};
  }

  Expression ratio(Function numerator, const std::optional<Query>& among, double offset) {
    const Expression first = add(std::move(numerator));
    if (!among) return first;
    return {Expression::Kind::kRatio, 0, offset, {first, add(Function::of(*among))}};
  }

  // If both operands are means, joins them into the mean of one function. The operands' functions are the last two.
  Expression difference(const Expression& first, const Expression& second) {
    const bool both_means = first.kind == Expression::Kind::kMean && second.kind == Expression::Kind::kMean;
    if (!both_means) return {Expression::Kind::kDifference, 0, 0, {first, second}};
    functions_[first.function].add(-1, functions_[second.function]);
    functions_.pop_back();
    return first;
  }

  const Schema& schema_;
  std::vector<Function> functions_;
};

class Expander {
 public:
  Expander(const Task& task, const Measure& measure, compiler::Work& work, compiler::Reference reference)
      : task_(task), measure_(measure), work_(work), reference_(reference) {}

  Result<std::vector<Question>> run() {
    if (!measure_.by) {
      HEARSAY_CHECK_OK(add_rows("", std::nullopt));
      return std::move(rows_);
    }
    for (ValueSet& cell : cells_of(task_, *measure_.by)) {
      const Query query = in(*measure_.by, std::move(cell));
      HEARSAY_CHECK_OK(add_rows(query.to_string(task_.schema()), query));
    }
    return std::move(rows_);
  }

 private:
  Result<void> add_rows(const std::string& about, const std::optional<Query>& within) {
    const std::optional<Query> among = both(within, measure_.among);
    switch (measure_.kind) {
      case Kind::kHistogram:
      case Kind::kCumulative:
        return add_values(about, among);
      case Kind::kQuantile:
        return add(about,
                   CompiledCurve::create(task_, measure_.attributes.front(), measure_.level, among, work_, reference_));
      default:
        Builder builder(task_.schema());
        const Expression expression = builder.build(measure_, within);
        return add(about, compiled(expression, builder));
    }
  }

  Result<void> add_values(const std::string& about, const std::optional<Query>& among) {
    const std::uint32_t attribute = measure_.attributes.front();
    std::vector<ValueSet> cells = cells_of(task_, attribute);
    for (ValueSet& cell : cells) {
      if (measure_.kind == Kind::kCumulative) {
        if (cell.size() > 1) {
          return Error{ErrorCode::kQueryNotCovered,
                       "the task joins values that form no interval, so the task cannot answer cumulative shares"};
        }
        cell.front().first = 0;
      }
      const Query query = in(attribute, std::move(cell));
      Builder builder(task_.schema());
      const Expression expression = builder.share(query, among);
      const std::string text = query.to_string(task_.schema());
      HEARSAY_CHECK_OK(add(about.empty() ? text : about + ", " + text, compiled(expression, builder)));
    }
    return {};
  }

  Result<CompiledExpression> compiled(const Expression& expression, const Builder& builder) {
    return CompiledExpression::create(task_, expression, builder.functions(), work_, reference_);
  }

  template <class T>
  Result<void> add(const std::string& about, Result<T> made) {
    if (!made && made.error().code == ErrorCode::kCancelled) return made.error();
    if (rows_.size() == kMaxRows) {
      return Error{ErrorCode::kLimitExceeded, "a measure has at most " + with_separators(kMaxRows) + " rows"};
    }
    rows_.emplace_back(about, made ? Result<Question::Compiled>(*std::move(made)) : made.error());
    return {};
  }

  const Task& task_;
  const Measure& measure_;
  compiler::Work& work_;
  compiler::Reference reference_;
  std::vector<Question> rows_;
};

}  // namespace

Result<Answer> Question::evaluate(const estimator::Estimator& estimator, double confidence) const {
  if (!compiled_) return compiled_.error();
  return std::visit([&](const auto& compiled) { return compiled.evaluate(estimator, confidence); }, *compiled_);
}

Result<std::vector<Question>> questions(const Task& task, const Measure& measure, compiler::Work& work,
                                        compiler::Reference reference) {
  return compiler::stoppable([&] { return Expander(task, measure, work, reference).run(); });
}

}  // namespace hearsay::measures
