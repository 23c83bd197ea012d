// Checks that measures and trends from the HTTP API agree with the queries of which they consist.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/report/randomize.h"
#include "tests/e2e/aggregator.h"
#include "tests/support/bit_sources.h"

namespace hearsay::e2e {
namespace {

constexpr UnixSeconds kSecondDay = tests::kTaskStart + tests::kDay;

// Returns a task over two booleans and a number from -2 to 0. Each report answers about all three attributes, at ε = 6.
Task asked_task() {
  TaskSpec spec = tests::small_task("b b r3", "6").spec();
  spec.arrangement = CharactersSpec{3};
  spec.channel = SampledSpec{.groups = {{GroupKind::kRaw, 3, 1}}};
  return Task::create(std::move(spec)).value();
}

// 40 people report on each of two days. A quarter of the people have a1. On the first day half of the people have a0,
// on the second day all people.
void report_all(const Aggregator& aggregator, const Task& task) {
  tests::CounterBitSource bits("measures over the wire");
  for (const UnixSeconds day : {tests::kTaskStart, kSecondDay}) {
    std::vector<std::uint8_t> body;
    for (std::uint32_t i = 0; i < 40; ++i) {
      const std::uint32_t first = day == kSecondDay ? 1 : i % 2;
      const Record record = Record::create(task.schema(), {first, i % 4 == 0 ? 1U : 0U, i % 3}).value();
      append_report(randomize(task, record, day, bits).value(), body);
    }
    const Reply reply =
        aggregator.call("POST", path_of(task, "/reports"), std::string(body.begin(), body.end()), "", kCbor);
    REQUIRE(reply.status / 100 == 2);
  }
}

Json ask(const Aggregator& aggregator, const Task& task, const Json& request) {
  const Reply reply = aggregator.call("POST", path_of(task, "/estimates"), request.dump(), kAnalystToken);
  CAPTURE(reply.body);
  REQUIRE(reply.status == 200);
  return parse_json(reply.body).value();
}

double value(const Json& row) { return row.at("value").get<double>(); }

struct TwoDays {
  TwoDays() {
    aggregator.create(task);
    aggregator.clock.set(kSecondDay + 3600);
    report_all(aggregator, task);
  }
  Aggregator aggregator;
  Task task = asked_task();
};

TEST_CASE_FIXTURE(TwoDays, "measures agree with the queries that they are made of") {
  const Json answers =
      ask(aggregator, task,
          {{"queries", {"a0", "a1", "a0 and a1", "a2 >= -1", "a2 >= 0"}},
           {"measures", {"difference(a0, a1)", "a1 among a0", "mean(a2)", "ratio(a1, a0)", "mean(a2) by a1"}}});
  const Json& queries = answers.at("estimates");
  const Json& rows = answers.at("measures");
  REQUIRE(rows.size() == 6);
  CHECK(value(rows[0]) == doctest::Approx(value(queries[0]) - value(queries[1])));
  CHECK(value(rows[1]) == doctest::Approx(value(queries[2]) / value(queries[0])));
  CHECK(value(rows[2]) == doctest::Approx(-2 + value(queries[3]) + value(queries[4])));
  CHECK(value(rows[3]) == doctest::Approx(value(queries[1]) / value(queries[0])));
  CHECK(rows[4].at("case") == "a1 = no");
  CHECK(rows[5].at("case") == "a1");
  for (const Json& row : rows) {
    CHECK(row.at("reports") == 80);
    CHECK(row.at("standard_error").get<double>() > 0);
    CHECK(row.at("guarantee") == "worst-case");
  }
  // An ISO 8601 date selects the second day, on which everybody has a0.
  const Json day = ask(aggregator, task, {{"measures", {"a0"}}, {"from", "2023-11-16"}});
  CHECK(day.at("measures")[0].at("reports") == 40);
  // With 40 reports, 0.2 is 12 standard deviations of the channel's noise.
  CHECK(std::abs(value(day.at("measures")[0]) - 1) < 0.2);
}

TEST_CASE_FIXTURE(TwoDays, "a trend has a row for each day, and a test of no change") {
  const Json answers =
      ask(aggregator, task,
          {{"measures", {"a0"}}, {"from", tests::kTaskStart}, {"to", kSecondDay + tests::kDay}, {"every", "1d"}});
  const Json& rows = answers.at("measures");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("from") == tests::kTaskStart);
  CHECK(rows[1].at("from") == kSecondDay);
  CHECK(rows[1].at("to") == kSecondDay + tests::kDay);
  const double change = value(rows[1]) - value(rows[0]);
  const double variance =
      std::pow(rows[0].at("standard_error").get<double>(), 2) + std::pow(rows[1].at("standard_error").get<double>(), 2);
  const Json& test = answers.at("no_change")[0];
  CHECK(test.at("statistic").get<double>() == doctest::Approx(change * change / variance));
  CHECK(test.at("degrees") == 1);
  CHECK(test.at("p").get<double>() < 1e-6);
}

TEST_CASE_FIXTURE(TwoDays, "a measure that cannot be answered gets an error, and the others are answered") {
  const Json rows = ask(aggregator, task, {{"measures", {"mean(nobody)", "a0 among", "a0"}}}).at("measures");
  CHECK(rows[0].at("error").at("type") == "urn:hearsay:error:unknown_attribute");
  CHECK(rows[1].at("error").at("type") == "urn:hearsay:error:query_syntax");
  CHECK(rows[2].contains("value"));
  const Reply reply =
      aggregator.call("POST", path_of(task, "/estimates"), R"({"measures": ["a0"], "every": "7h"})", kAnalystToken);
  CHECK(problem_name(reply) == "invalid_argument");
}

}  // namespace
}  // namespace hearsay::e2e
