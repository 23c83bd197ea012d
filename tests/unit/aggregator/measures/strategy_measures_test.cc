// Tests measures of a `strategy` task. The scores are linear in the query, and give the covariances of queries.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "aggregator/measures/measure.h"
#include "aggregator/measures/questions.h"
#include "common/channel/channel.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::measures {
namespace {

TEST_CASE("shares of disjoint sets add up, and the variance of a difference is right") {
  const Task task = tests::strategy_task("c5", tests::response_matrix(5));
  tally::SampledTally counts;
  const std::vector<int> reports{300, 120, 210, 90, 280};
  for (std::uint32_t k = 0; k < 5; ++k) {
    for (int i = 0; i < reports[k]; ++i) counts.add(k, 0);
  }
  const auto estimator = estimator::Estimator::create(task, tally::Tally(counts)).value();
  const std::string name = task.schema()[0].name();
  const auto answer = [&](const std::string& text) {
    compiler::Work work;
    const Measure measure = parse(task.schema(), text).value();
    return questions(task, measure, work).value().front().evaluate(estimator, 0.95).value();
  };
  const std::string first = name + " = v0";
  const std::string second = name + " in {v1, v3}";
  const std::string either = name + " in {v0, v1, v3}";
  CHECK(answer(first).value + answer(second).value == doctest::Approx(answer(either).value).epsilon(1e-9));
  // A share minus the share of all others is 2·share - 1.
  const std::string others = name + " in {v2, v4}";
  const Answer difference = answer("difference(" + either + ", " + others + ")");
  CHECK(difference.value == doctest::Approx(2 * answer(either).value - 1).epsilon(1e-9));
  CHECK(difference.standard_error == doctest::Approx(2 * answer(either).standard_error).epsilon(1e-6));
}

}  // namespace
}  // namespace hearsay::measures
