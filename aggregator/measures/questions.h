// Turns a measure into the rows of its answer: one row, or one for each value of an attribute.
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

  // Returns the value that the row is about, such as `dept = A` or `age <= 30`. Returns an empty text for the only row
  // of a measure.
  const std::string& about() const { return about_; }

  // Answers the row. Errors: the reason why the task cannot answer the row; those of Estimator::estimate().
  Result<Answer> evaluate(const estimator::Estimator& estimator, double confidence) const;

 private:
  std::string about_;
  Result<Compiled> compiled_;
};

// Returns the rows of a measure. `by`, histograms and cumulative shares give one row for each value of an attribute, or
// for each cell if the task cuts the attribute into cells. If the task cannot answer a row, the row's evaluate()
// returns an error. Errors: kLimitExceeded (more than 4,096 rows, or more than the budget of `work`), kQueryNotCovered
// (cumulative shares of cells that are no intervals), kCancelled. Thread-safe.
Result<std::vector<Question>> questions(const Task& task, const Measure& measure, compiler::Work& work,
                                        compiler::Reference reference = {});

}  // namespace hearsay::measures
