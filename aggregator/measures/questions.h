// What a measure asks of a task: one question, or one for each value.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "aggregator/compiler/model.h"
#include "aggregator/compiler/work.h"
#include "aggregator/measures/answer.h"
#include "aggregator/measures/curve.h"
#include "aggregator/measures/expression.h"
#include "aggregator/measures/measure.h"
#include "hearsay/task.h"

namespace hearsay::measures {

// One row of the answer.
class Question {
 public:
  using Compiled = std::variant<CompiledExpression, CompiledCurve>;
  Question(std::string about, Result<Compiled> compiled) : about_(std::move(about)), compiled_(std::move(compiled)) {}

  // Which value the row is about, such as `dept = A` or `age <= 30`. Empty where the measure has one row.
  const std::string& about() const { return about_; }

  // Errors: why the task cannot answer; those of Estimator::estimate().
  Result<Answer> evaluate(const estimator::Estimator& estimator, double confidence) const;

 private:
  std::string about_;
  Result<Compiled> compiled_;
};

// The rows of a measure: `by`, histograms and cumulative shares have one for each value of an attribute, or each of the
// cells that a task cuts it into. A row that the task cannot answer has the error in its place. Errors: kLimitExceeded
// (more than 4,096 rows), kQueryNotCovered (cumulative shares where cells are no intervals), kCancelled. Thread-safe.
Result<std::vector<Question>> questions(const Task& task, const Measure& measure, compiler::Work& work,
                                        compiler::Reference reference = {});

}  // namespace hearsay::measures
