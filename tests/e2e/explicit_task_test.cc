// Tests the life of a task with the arrangement `explicit`: the task is made from the arrangement of a query class,
// gets reports, answers, and survives a restart.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/base/strict_json.h"
#include "tests/e2e/aggregator.h"
#include "tests/e2e/process.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

using tests::TemporaryFile;

TEST_CASE("`hearsay bounds` writes a task with explicit vectors, which gets reports and answers queries") {
  const TemporaryFile document("");
  const Output made = run(kHearsay, {"bounds", "monomials", "--attributes", "2", "--epsilon", "4", "--write",
                                     document.path(), "--overwrite"});
  CAPTURE(made.text);
  REQUIRE(made.status == 0);
  CHECK(made.contains("a task of the arrangement `explicit`"));
  Json edited = parse_json(tests::read_file(document.path())).value();
  edited["task_start"] = 1'700'006'400;
  edited["task_duration"] = 299'894'400;
  edited["min_batch_size"] = 1;
  const Task task = Task::parse(edited.dump()).value();
  REQUIRE(std::holds_alternative<ExplicitSpec>(task.spec().arrangement));
  const TemporaryFile created(task.canonical_json());
  CHECK(run(kHearsay, {"audit", created.path()}).contains("verdict: holds"));
  CHECK(run(kHearsay, {"plan", created.path(), "x1 and x2"}).contains("by the paper's bound"));

  Aggregator aggregator;
  Json unreadable = parse_json(task.canonical_json()).value();
  unreadable["arrangement"]["queries"][0]["query"] = "x3";
  const Reply refused = aggregator.call("POST", "/v1/tasks", unreadable.dump(), kAdminToken);
  CHECK(refused.status == 422);
  CHECK(refused.body.find("the query `x3`: line 1") != std::string::npos);
  aggregator.create(task);
  const std::vector<Record> records{
      Record::create(task.schema(), {1, 1}).value(), Record::create(task.schema(), {0, 0}).value(),
      Record::create(task.schema(), {0, 1}).value(), Record::create(task.schema(), {1, 0}).value()};
  constexpr std::size_t kPeople = 300;
  report_each(aggregator, task, records, kPeople);

  const TemporaryFile token(kAdminToken);
  const Output answered = run(kHearsay, {"estimate", task.id().to_string(), "x1 and x2", "x1", "-o", "json", "--server",
                                         "https://localhost:" + std::to_string(aggregator.daemon->port()), "--ca",
                                         aggregator.certificate.files().certificate, "--token-file", token.path()});
  CAPTURE(answered.text);
  REQUIRE(answered.status == 0);
  const Json answers = parse_json(answered.text).value();
  CHECK(answers.at("reports") == kPeople);
  const double truths[2] = {0.25, 0.5};
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& estimate = answers.at("estimates").at(i);
    CAPTURE(i);
    // An estimate is off by more than seven standard errors in fewer than one of 10^11 runs.
    CHECK(std::abs(estimate.at("value").get<double>() - truths[i]) < 7 * estimate.at("standard_error").get<double>());
  }
  const std::string before = aggregator.tally(task);
  aggregator.restart();
  CHECK(aggregator.tally(task) == before);
}

}  // namespace
}  // namespace hearsay::e2e
