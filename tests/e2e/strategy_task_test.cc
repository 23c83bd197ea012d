// Tests the life of a task with the channel `strategy`: the task is made for its queries, gets reports, answers, and
// survives a restart.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/base/strict_json.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/golden.h"
#include "tests/support/strategy_tasks.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

using tests::TemporaryFile;

TEST_CASE("`hearsay design` writes a task with a strategy, which gets reports and answers queries and tables") {
  const TemporaryFile schema(R"([{"name": "smoker", "type": "boolean"},
    {"name": "age", "type": "range", "min": 0, "max": 4}])");
  const TemporaryFile document("");
  const std::vector<std::string> design{"design", schema.path(), "--epsilon", "4", "--conjunctions", "2", "--strategy"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = design;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(kHearsay, arguments);
  };
  const std::string table = with({"-o", "csv"}).text;
  const std::size_t place = table.find(",strategy made for the queries");
  REQUIRE(place != std::string::npos);
  const std::size_t line = table.rfind('\n', place) + 1;
  const Output designed = with({"--choice", table.substr(line, place - line), "--write", document.path(), "--overwrite",
                                "--start", "1700006400", "--duration", "299894400", "--min-batch", "1"});
  CAPTURE(designed.text);
  REQUIRE(designed.status == 0);
  const Task task = Task::parse(tests::read_file(document.path())).value();
  REQUIRE(std::holds_alternative<StrategySpec>(task.spec().channel));
  CHECK(run(kHearsay, {"audit", document.path()}).contains("verdict: holds"));

  Aggregator aggregator;
  aggregator.create(task);
  const std::vector<Record> records{Record::create(task.schema(), {1, 4}).value(),
                                    Record::create(task.schema(), {0, 0}).value()};
  constexpr std::size_t kPeople = 300;
  report_each(aggregator, task, records, kPeople);

  const TemporaryFile token(kAdminToken);
  const Output answered =
      run(kHearsay, {"estimate", task.id().to_string(), "smoker and age >= 3", "--table", "smoker,age", "--project",
                     "-o", "json", "--server", "https://localhost:" + std::to_string(aggregator.daemon->port()), "--ca",
                     aggregator.certificate.files().certificate, "--token-file", token.path()});
  CAPTURE(answered.text);
  REQUIRE(answered.status == 0);
  const Json answers = parse_json(answered.text).value();
  CHECK(answers.at("reports") == kPeople);
  const Json& estimate = answers.at("estimates").at(0);
  CHECK(estimate.at("guarantee") == "worst-case");
  // An estimate is off by more than seven standard errors in fewer than one of 10^11 runs.
  CHECK(std::abs(estimate.at("value").get<double>() - 0.5) < 7 * estimate.at("standard_error").get<double>());
  double sum = 0;
  for (const Json& value : answers.at("tables").at(0).at("values")) sum += value.get<double>();
  CHECK(sum == doctest::Approx(1).epsilon(1e-9));

  const std::string before = aggregator.tally(task);
  aggregator.restart();
  CHECK(aggregator.tally(task) == before);
}

// The rows of the strategy are half-circles on 16 values. Together, the multipliers 1, 2, 4 and 8 determine the answer
// to every query.
TEST_CASE("a task document with a shifted strategy gets reports and answers queries and tables") {
  TaskSpec spec = tests::strategy_spec("r16", tests::half_circle_rows(16, {1, 2, 4, 8}));
  spec.task_start = 1'700'006'400;
  spec.task_duration = 299'894'400;
  const Task task = Task::create(spec).value();
  const TemporaryFile document(task.canonical_json());
  CHECK(run(kHearsay, {"audit", document.path()}).contains("verdict: holds"));

  Aggregator aggregator;
  aggregator.create(task);
  const std::vector<Record> records{Record::create(task.schema(), {3}).value(),
                                    Record::create(task.schema(), {12}).value()};
  constexpr std::size_t kPeople = 300;
  report_each(aggregator, task, records, kPeople);

  const TemporaryFile token(kAdminToken);
  // The queries name values, which begin at -2: value number 12 is 10.
  const Output answered =
      run(kHearsay, {"estimate", task.id().to_string(), "a0 >= 8 and a0 <= 12", "--table", "a0", "-o", "json",
                     "--server", "https://localhost:" + std::to_string(aggregator.daemon->port()), "--ca",
                     aggregator.certificate.files().certificate, "--token-file", token.path()});
  CAPTURE(answered.text);
  REQUIRE(answered.status == 0);
  const Json answers = parse_json(answered.text).value();
  CHECK(answers.at("reports") == kPeople);
  const Json& estimate = answers.at("estimates").at(0);
  // An estimate is off by more than seven standard errors in fewer than one of 10^11 runs.
  CHECK(std::abs(estimate.at("value").get<double>() - 0.5) < 7 * estimate.at("standard_error").get<double>());
  const Json& values = answers.at("tables").at(0).at("values");
  const Json& errors = answers.at("tables").at(0).at("standard_errors");
  REQUIRE(values.size() == 16);
  double sum = 0;
  for (std::size_t cell = 0; cell < 16; ++cell) {
    const double truth = cell == 3 || cell == 12 ? 0.5 : 0;
    CHECK(std::abs(values.at(cell).get<double>() - truth) < 7 * errors.at(cell).get<double>());
    sum += values.at(cell).get<double>();
  }
  CHECK(sum == doctest::Approx(1).epsilon(1e-9));
}

}  // namespace
}  // namespace hearsay::e2e
