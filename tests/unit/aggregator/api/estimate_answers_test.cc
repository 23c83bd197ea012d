#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "aggregator/api/estimates.h"
#include "common/base/strict_json.h"
#include "common/report/randomize.h"
#include "tests/support/bit_sources.h"
#include "tests/support/tasks.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::api {
namespace {

using hearsay::tests::kDay;
using hearsay::tests::kTaskStart;

// A task on characters of order 2, with a hundred reports of the record (yes, v0, 0).
struct Fixture {
  Fixture() {
    TaskSpec spec = hearsay::tests::small_task("b c3 r6").spec();
    spec.arrangement = CharactersSpec{.order = 2};
    task = Task::create(spec).value();
    REQUIRE(store->add_task(*task));
    hearsay::tests::CounterBitSource bits("estimate answers");
    const Record record = Record::create(task->schema(), {1, 0, 0}).value();
    std::vector<Report> reports;
    for (int i = 0; i < 100; ++i) reports.push_back(randomize(*task, record, kTaskStart, bits).value());
    store::rocks::tests::append_new(*store, *task, reports);
  }

  Result<Json> ask(std::string_view body) const {
    return answer_queries(*store, *task, body, std::size_t{1} << 30U, {});
  }

  hearsay::tests::TemporaryDirectory directory;
  std::unique_ptr<store::Store> store = store::rocks::open({.path = directory / "store"}).value();
  std::optional<Task> task;
};

double least(const Json& numbers) { return std::min_element(numbers.begin(), numbers.end())->get<double>(); }

TEST_CASE_FIXTURE(Fixture, "`project` applies to the cells of tables, with and without queries in the same request") {
  const Json alone = ask(R"({"tables": [["a1", "a0"]], "project": true})").value();
  const Json& cells = alone.at("tables")[0].at("projected");
  CHECK(least(alone.at("tables")[0].at("values")) < -0.1);
  REQUIRE(cells.size() == 6);
  CHECK(least(cells) >= 0);
  double sum = 0;
  for (const Json& cell : cells) sum += cell.get<double>();
  CHECK(sum == doctest::Approx(1).epsilon(1e-9));

  const Json both = ask(R"({"queries": ["a0 and a1 = v0", "a0 and a1 = v0 and a2 = 1"],
                            "tables": [["a0", "a1"], ["a0", "a1", "a2"], ["a0"]], "project": true})")
                        .value();
  const Json& tables = both.at("tables");
  CHECK(std::abs(both.at("estimates")[0].at("projected").get<double>() - tables[0].at("projected")[3].get<double>()) <
        1e-9);
  CHECK(both.at("estimates")[1].contains("error"));
  CHECK(tables[1].contains("error"));
  CHECK(tables[2].at("projected").size() == 2);
  CHECK_FALSE(ask(R"({"tables": [["a0", "a1"]]})")->at("tables")[0].contains("projected"));
}

TEST_CASE_FIXTURE(Fixture, "`confidence` applies to the cells of tables") {
  const Json table = ask(R"({"tables": [["a0"]], "confidence": 0.99})")->at("tables")[0];
  CHECK(table.at("quantile").get<double>() == doctest::Approx(2.5758293).epsilon(1e-7));
}

TEST_CASE_FIXTURE(Fixture, "the error about a table of too many attributes gives the task's limit") {
  const Json error = ask(R"({"tables": [["a0", "a1", "a2"]]})")->at("tables")[0].at("error");
  CHECK(error.at("type") == "urn:hearsay:error:query_not_covered");
  CHECK(error.at("detail").get<std::string>().starts_with(
      "the table has 3 attributes, and this task (order 2) answers tables of at most 2"));
  const auto unknown = ask(R"({"tables": [["a0"], ["a0", "colour"]]})");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message == "request.tables[1]: there is no attribute named colour");
}

TEST_CASE_FIXTURE(Fixture, "the answer repeats queries as the request wrote them") {
  const Json queries = parse_json(R"(["a2 >= 3", "  not not a0", "a2 == 3", "a0 and nothing"])").value();
  const Json answers = ask(Json::object({{"queries", queries}}).dump()).value();
  for (std::size_t i = 0; i < queries.size(); ++i) CHECK(answers.at("estimates")[i].at("query") == queries[i]);
}

TEST_CASE_FIXTURE(Fixture,
                  "a question that a request asks twice has the same answer twice, and its cells count twice") {
  for (const char* const project : {"false", "true"}) {
    const Json answers = ask(std::string(R"({"queries": ["a0", "a2 >= 3", "a0", "a0 and", "a0 and"],
                             "tables": [["a0", "a1"], ["a1"], ["a1", "a0"], ["a0", "a1", "a2"], ["a0", "a1", "a2"]],
                             "project": )") +
                             project + "}")
                             .value();
    CHECK(answers.at("estimates")[0] == answers.at("estimates")[2]);
    CHECK(answers.at("estimates")[0] != answers.at("estimates")[1]);
    CHECK(answers.at("estimates")[3].at("error") == answers.at("estimates")[4].at("error"));
    CHECK(answers.at("tables")[0] == answers.at("tables")[2]);
    CHECK(answers.at("tables")[0] != answers.at("tables")[1]);
    CHECK(answers.at("tables")[3].at("error") == answers.at("tables")[4].at("error"));
  }
  // Returns true if the last answer fits into `bytes` of memory. The repeated answer needs its own memory.
  const auto fits = [&](const char* body, std::size_t bytes) {
    const Json answers = answer_queries(*store, *task, body, bytes, {}).value();
    return !answers.at("estimates").back().contains("error");
  };
  std::size_t least_of_one = 1U << 12U;
  while (!fits(R"({"queries": ["a0"]})", least_of_one)) least_of_one += 256;
  CHECK_FALSE(fits(R"({"queries": ["a0", "a0"]})", least_of_one));
  CHECK(fits(R"({"queries": ["a0", "a0"]})", least_of_one + (1U << 13U)));
}

TEST_CASE_FIXTURE(
    Fixture, "if no report can lie in the requested time range, the error names the range and is not `no_reports`") {
  const auto refusal = [&](const Json& times) {
    Json body = parse_json(R"({"queries": ["a0"]})").value();
    body.update(times);
    const auto answer = ask(body.dump());
    if (answer) return std::string("answered");
    CHECK(answer.error().code == ErrorCode::kInvalidArgument);
    return answer.error().message;
  };
  CHECK(refusal({{"from", kTaskStart}, {"to", kTaskStart + kDay}}) == "answered");
  CHECK(refusal({{"from", kTaskStart + kDay}, {"to", kTaskStart}}).find("must be before `to`") != std::string::npos);
  for (const UnixSeconds milliseconds : {kTaskStart * 1000, kTaskStart * 1000 + 1}) {
    CHECK(refusal(Json::object({{"from", milliseconds}})).find("looks like milliseconds") != std::string::npos);
    CHECK(refusal(Json::object({{"to", milliseconds}})).find("looks like milliseconds") != std::string::npos);
  }
  CHECK(refusal(Json::object({{"to", kTaskStart - kDay}})).find("lies outside the task") != std::string::npos);
  CHECK(refusal(Json::object({{"from", kTaskStart + 1}})) ==
        "`from` (" + std::to_string(kTaskStart + 1) +
            ") is not a multiple of the task's time_precision, 86400 seconds");
}

}  // namespace
}  // namespace hearsay::api
