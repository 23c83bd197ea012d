#include "aggregator/measures/truth.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/planned_tasks.h"
#include "tests/support/sampled_cases.h"
#include "tests/support/small_domains.h"

namespace hearsay::measures {
namespace {

using tests::task_over;

Task small_task() { return task_over("b r5", "2", CharactersSpec{2}, tests::groups_of({{GroupKind::kSingle, 1, 1}})); }

std::vector<double> values(const std::string& text, const std::vector<std::vector<std::uint32_t>>& people) {
  const Task task = small_task();
  std::vector<Record> records;
  for (const auto& person : people) records.push_back(Record::create(task.schema(), person).value());
  return true_values(task, parse(task.schema(), text).value(), records);
}

// Three people have a0, with a1 = -2, 1 and 2. Two people do not, with a1 = 0 and 2.
const std::vector<std::vector<std::uint32_t>> kPeople{{1, 0}, {1, 3}, {1, 4}, {0, 2}, {0, 4}};

double value(const std::string& text) {
  const std::vector<double> all = values(text, kPeople);
  REQUIRE(all.size() == 1);
  return all.front();
}

TEST_CASE("shares, means, quantiles, differences and ratios are computed from the people's records") {
  const auto near = [](double expected) { return doctest::Approx(expected).epsilon(1e-12); };
  CHECK(value("a0") == near(0.6));
  CHECK(value("a1 >= 1 among a0") == near(2.0 / 3));
  CHECK(value("mean(a1)") == near(0.6));
  CHECK(value("mean(a1) among a0") == near(1.0 / 3));
  CHECK(value("mean(a1 + a0)") == near(1.2));
  CHECK(value("median(a1)") == 1);
  CHECK(value("quantile(a1, 0.6)") == 1);  // three of five values are at most 1
  CHECK(value("quantile(a1, 0.61)") == 2);
  CHECK(value("quantile(a1, 0.01)") == -2);
  CHECK(value("difference(mean(a1) among a0, mean(a1) among not a0)") == near(1.0 / 3 - 1));
  CHECK(value("ratio(a0, not a0)") == near(1.5));
  CHECK(value("difference(mean(a1), a0) among a1 >= 1") == near(5.0 / 3 - 2.0 / 3));
}

TEST_CASE("within each group the rows are in the order of the attribute's values") {
  CHECK(values("histogram(a1)", kPeople) == std::vector<double>{0.2, 0, 0.2, 0.2, 0.4});
  CHECK(values("cumulative(a1)", kPeople) == std::vector<double>{0.2, 0.2, 0.4, 0.6, 1});
  CHECK(values("mean(a1) by a0", kPeople) == std::vector<double>{1, 1.0 / 3});
  const std::vector<double> both = values("histogram(a1) by a0", kPeople);
  REQUIRE(both.size() == 10);
  CHECK(both[2] == 0.5);
  CHECK(both[5] == doctest::Approx(1.0 / 3));
}

TEST_CASE("a measure of a group without people is NaN") {
  CHECK(std::isnan(values("mean(a1) among a0", {{0, 1}}).front()));
  CHECK(std::isnan(values("median(a1) among a0", {{0, 1}}).front()));
  CHECK(std::isnan(values("ratio(a0, not a0)", {{1, 1}}).front()));
}

}  // namespace
}  // namespace hearsay::measures
