#include "aggregator/cli/commands.h"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "aggregator/cli/design_report.h"
#include "aggregator/cli/layout.h"
#include "aggregator/console/arguments.h"
#include "aggregator/planner/plan.h"
#include "common/base/strict_json.h"
#include "tests/support/planned_tasks.h"
#include "tests/support/tasks.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/temporary_file.h"

namespace hearsay::cli {
namespace {

using tests::TemporaryFile;
using Words = std::vector<std::string>;

struct Printed {
  Result<int> status;
  std::string text;

  bool contains(std::string_view part) const { return text.find(part) != std::string::npos; }
};

Printed run(const Words& words) {
  CLI::App app("", "hearsay");
  console::Action chosen;
  add_design_command(app, chosen);
  add_plan_command(app, chosen);
  add_task_commands(app, chosen);
  add_audit_command(app, chosen);
  REQUIRE_FALSE(console::parse_arguments(app, words));
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  Result<int> status = chosen();
  std::cout.rdbuf(before);
  return {std::move(status), out.str()};
}

Words design(const TemporaryFile& schema, const Words& more) {
  Words words{"design", schema.path(), "--epsilon", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool fits(const std::string& text) {
  std::size_t columns = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    columns = c == '\n' ? 0 : columns + 1;
    if (columns > kColumns) return false;
  }
  return true;
}

const char* const kPeople = R"([{"name": "smoker", "type": "boolean"},
  {"name": "region", "type": "categorical", "values": ["north", "south", "west", "far east"]},
  {"name": "age", "type": "range", "min": 0, "max": 15}])";

std::string long_query() {
  std::string text = "smoker";
  for (int i = 0; i < 90; ++i) text += i % 2 == 0 ? " or age = 3" : " and region = \"far east\"";
  return text;
}

TEST_CASE("design's table fits 100 columns, separates thousands, and describes each question and the next step") {
  const TemporaryFile schema(kPeople);
  const std::vector<Words> asked{{"smoker"},
                                 {"smoker", "age in 3..7 and region = north"},
                                 {"--conjunctions", "2"},
                                 {"--functions", "2"},
                                 {long_query(), "smoker"}};
  for (const Words& words : asked) {
    CAPTURE(words.front());
    const Printed printed = run(design(schema, words));
    CAPTURE(printed.text);
    REQUIRE(printed.status);
    CHECK(*printed.status == 0);
    CHECK(fits(printed.text));
    CHECK(printed.contains("rank  "));
    CHECK(printed.contains("what each person is asked\n"));
    CHECK(printed.contains(" about "));
    CHECK(printed.contains("average-case: ") == printed.contains("; average-case"));
    CHECK(printed.contains("epsilon 0.5 "));
    CHECK_FALSE(printed.contains("characters"));
    CHECK(printed.contains("\nNext:\n"));
    CHECK(
        printed.contains("hearsay task create task.json --server https://AGGREGATOR:8443 --token-file ADMIN_TOKEN\n"));
  }
  const Printed one = run(design(schema, {"smoker", "age in 3..7"}));
  CHECK(one.contains("--epsilon 1 smoker 'age in 3..7'"));
  CHECK(one.contains("hearsay design "));
  CHECK(run(design(schema, {long_query()})).contains("run this command again with --write task.json\n"));
  // The limit at ε = 1 is z²·(c² - 1)/4 / 0.01², with the normal quantile z and c = (e+1)/(e-1).
  CHECK(run(design(schema, {"smoker"})).contains("35,3"));
}

TEST_CASE("design --strategy ranks a strategy, and prints the command that writes its task") {
  const TemporaryFile schema(R"([{"name": "x", "type": "range", "min": 0, "max": 15}])");
  const Printed printed = run(design(schema, {"--prefixes", "--strategy"}));
  CAPTURE(printed.text);
  REQUIRE(printed.status);
  CHECK(printed.contains("--epsilon 1 --prefixes --strategy"));
  // No strategy is planned for changed wishes, so the answer has no changes.
  CHECK_FALSE(printed.contains("How the users change"));
  CHECK(printed.contains("rank 1 is a strategy"));
  const TemporaryFile large(R"([{"name": "x", "type": "range", "min": 0, "max": 1024}])");
  const Printed refused = run(design(large, {"--prefixes", "--strategy"}));
  REQUIRE_FALSE(refused.status);
  CHECK(refused.status.error().code == ErrorCode::kLimitExceeded);
  CHECK(refused.status.error().message.find("at most 1024 different records, and the schema has 1025") !=
        std::string::npos);
}

TEST_CASE("the reason why mechanisms cannot answer is printed once") {
  const TemporaryFile schema(kPeople);
  const Printed printed = run(design(schema, {"--functions", "2"}));
  const std::size_t first = printed.text.find(" cannot answer this: query_not_visible: ");
  CHECK(first != std::string::npos);
  CHECK(printed.text.find("query_not_visible", first + 40) == std::string::npos);
}

TEST_CASE("a cheaper mechanism in a lower row states its assumption") {
  std::string attributes;
  for (int i = 0; i < 8; ++i) {
    attributes += (i == 0 ? "[" : ",") + (R"({"name": "q)" + std::to_string(i) + R"(", "type": "boolean"})");
  }
  const TemporaryFile schema(attributes + "]");
  const Printed printed = run(design(schema, {"--conjunctions", "2"}));
  CHECK(printed.contains("; average-case"));
  CHECK(printed.contains("average-case: cheaper, but right only if "));
}

TEST_CASE("numbers in JSON and CSV have no separators") {
  const TemporaryFile schema(kPeople);
  const Printed json = run(design(schema, {"smoker", "age >= 8", "-o", "json"}));
  const Json document = parse_json(json.text).value();
  CHECK(document.at("candidates").at(0).at("users_worst").is_number_unsigned());
  CHECK(document.at("changes").at("epsilon").size() == 3);
  CHECK(document.at("changes").at("left_out").size() == 4);  // one part for each of two attributes and two queries
  CHECK(document.at("changes").at("coarser_values").empty());
  const Json ranges = parse_json(run(design(schema, {"--ranges", "-o", "json"})).text).value();
  CHECK(ranges.at("changes").at("coarser_values").size() == 1);
  const Printed csv = run(design(schema, {"smoker", "age >= 8", "-o", "csv"}));
  CHECK(csv.text.starts_with("rank,mechanism,guarantee,users_worst"));
  CHECK(
      csv.contains("," + std::to_string(document.at("candidates").at(0).at("users_worst").get<std::uint64_t>()) + ","));
}

TEST_CASE(
    "design --users prints the errors of the best task at each epsilon, and the errors without an attribute or query") {
  const TemporaryFile schema(kPeople);
  const Words asked{"smoker", "age in 3..7 and smoker"};
  Words words = asked;
  words.insert(words.end(), {"--users", "4000"});
  const Printed text = run(design(schema, words));
  CAPTURE(text.text);
  REQUIRE(text.status);
  CHECK(fits(text.text));
  CHECK(text.contains("4,000 users"));
  CHECK(text.contains("rank the mechanisms for epsilon 1, and write the task of rank 1\n"));
  CHECK_FALSE(text.contains("says nothing"));
  CHECK(run(design(schema, {"smoker", "age in 3..7 and smoker", "--users", "9"})).contains("an error of 0.5 or more"));
  for (const char* const part : {"epsilon 0.5", "epsilon 1 ", "epsilon 2", "epsilon 4", "What costs most at epsilon 1",
                                 "without attribute age", "without query `age in 3..7 and smoker`", "\nNext:\n"}) {
    CAPTURE(part);
    CHECK(text.contains(part));
  }
  words.insert(words.end(), {"-o", "json"});
  const Json errors = parse_json(run(design(schema, words)).text).value();
  REQUIRE(errors.at("queries").size() == 3);
  CHECK(errors.at("queries").at(1).at("query") == asked[1]);

  // Plans the task of rank 1 at ε = 2 for an error α. With `users_exact` users the error is α.
  const tests::TemporaryDirectory directory;
  const std::string task = directory / "task.json";
  REQUIRE(run({"design", schema.path(), "--epsilon", "2", "--write", task, asked[0], asked[1]}).status);
  const Json plans = parse_json(run({"plan", task, asked[0], asked[1], "-o", "json"}).text).value().at("plans");
  double largest = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& at_two = errors.at("queries").at(i).at("errors").at(2);
    CHECK(at_two.at("epsilon") == "2");
    const double expected = 0.01 * std::sqrt(plans.at(i).at("users_exact").get<double>() / 4000);
    CHECK(at_two.at("half_width").get<double>() == doctest::Approx(expected).epsilon(1e-3));
    largest = std::max(largest, expected);
  }
  CHECK(errors.at("queries").at(2).at("errors").at(2).at("half_width").get<double>() ==
        doctest::Approx(largest).epsilon(1e-3));

  const Json planned =
      parse_json(run({"plan", task, asked[0], asked[1], "--users", "4000", "-o", "json"}).text).value();
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(planned.at("queries").at(i).at("errors").at(2).at("half_width").get<double>() ==
          doctest::Approx(errors.at("queries").at(i).at("errors").at(2).at("half_width").get<double>()).epsilon(1e-9));
  }
  const Printed each = run({"plan", task, long_query(), asked[0], "--users-per-window", "4000"});
  CHECK(fits(each.text));
  CHECK(each.contains("4,000 users in one window"));
  CHECK(each.contains("90 windows"));
  CHECK(each.contains("9.49 times smaller"));
  CHECK(run({"plan", task, asked[0], long_query()}).contains("Next:"));
  CHECK(fits(run({"plan", task, asked[0], long_query()}).text));
}

TEST_CASE("the error about options that contradict each other or the schema names the options") {
  const TemporaryFile schema(kPeople);
  const TemporaryFile booleans(R"([{"name": "a", "type": "boolean"}])");
  const auto refused = [](const Words& words, const std::string& part) {
    const Printed printed = run(words);
    CAPTURE(part);
    REQUIRE_FALSE(printed.status);
    CAPTURE(printed.status.error().message);
    CHECK(printed.status.error().code == ErrorCode::kInvalidArgument);
    CHECK(printed.status.error().message.find(part) != std::string::npos);
    CHECK(printed.text.empty());
  };
  refused(design(schema, {"smoker", "--users", "9", "--alpha", "0.01"}),
          "leave out --users to get the number of users, or --alpha to get the errors");
  refused(design(schema, {"smoker", "--users", "9", "--users-per-window", "9"}), "not both");
  refused(design(schema, {"smoker", "--users", "9", "--write", "/dev/null"}), "leave out --users or --write");
  refused(design(booleans, {"--ranges"}), "--ranges asks about integer attributes");
  refused(design(booleans, {"--means"}), "--means asks about integer attributes");
  refused(design(schema, {"--boxes", "2"}),
          "--boxes must be from 1 to the number of the schema's integer attributes, 1");
  refused(design(schema, {"smoker", "--ranges", "--weight", "means=2"}),
          "is not asked for; these are: queries, ranges");
  refused(design(schema, {"smoker", "--ranges", "--weight", "ranges=0"}), "has no positive number");
  refused(design(schema, {"smoker", "--ranges", "--weight", "ranges"}), "must look like ranges=2");
  refused(design(schema, {"smoker", "--ranges", "--weight", "ranges=2", "--weight", "ranges=3"}),
          "--weight gives ranges a weight twice, the second time by 'ranges=3'");
  refused(design(schema, {"age > 20", "age >= 0"}), "no task is needed");
  refused(design(schema, {"--ranges", "--weight", "ranges=2"}), "only ranges is asked for: leave --weight out");
  refused(design(schema, {"smoker", "--write", "/dev/null", "--start", "86400"}), "make a task that has already ended");
}

TEST_CASE("design shows one row for mechanisms with the same description, and keeps the ranks of the other rows") {
  TaskSpec base = tests::small_task("b b").spec();
  const planner::Wish wish{base, std::vector<Query>{Query::parse(base.schema, "a0").value()}, {0.01, 0.05}};
  std::vector<planner::Candidate> list = planner::candidates(wish.base, wish.workload, wish.target).value();
  list.erase(list.begin() + 1, list.end());
  CHECK(text_of(list, wish).find("left out") == std::string::npos);
  list.insert(list.end(), 2, list.front());
  planner::Candidate unknown{"half-circles for ranges", Error{ErrorCode::kLimitExceeded, "too much"},
                             Error{ErrorCode::kLimitExceeded, "too much"}};
  list.insert(list.end(), 2, unknown);
  const std::string text = text_of(list, wish);
  CAPTURE(text);
  CHECK(text.find("\n   1  ") != std::string::npos);
  CHECK(text.find("\n   4  ") != std::string::npos);
  for (const char* const hidden : {"\n   2  ", "\n   3  ", "\n   5  ", "half-circles"}) {
    CHECK(text.find(hidden) == std::string::npos);
  }
  CHECK(text.find("\n3 ranks are left out") != std::string::npos);
  CHECK(text.find("ranks 4, 5 cannot answer this: limit_exceeded: too much") != std::string::npos);
}

TEST_CASE("with weights of queries the heading says for which errors the users suffice") {
  const TemporaryFile schema(kPeople);
  const Printed weighted = run(design(schema, {"smoker", "--ranges", "--weight", "ranges=4"}));
  CHECK(weighted.contains("users for ±0.01/√weight"));
  CHECK(weighted.contains("±0.005"));
  CHECK(fits(weighted.text));
  const Printed plain = run(design(schema, {"smoker", "--ranges"}));
  CHECK(plain.contains("users for ±0.01 at"));
  CHECK_FALSE(plain.contains("√"));
}

TEST_CASE("plan prints the command that creates a task only if the task answers all queries") {
  const Task task =
      tests::task_over("b b c3", "1", CharactersSpec{1}, SampledSpec{.groups = {{GroupKind::kSingle, 1, 1, {0, 2}}}});
  const TemporaryFile document(task.canonical_json());
  CHECK(run({"plan", document.path(), "a0"}).contains("hearsay task create "));
  const Printed failed = run({"plan", document.path(), "a0", "a1"});
  CHECK_FALSE(failed.contains("hearsay task create "));
  CHECK(failed.contains("hearsay design with the schema and the queries"));
  CHECK(run({"plan", document.path(), "a0", "--users", "1"}).contains("\n1 user: the error of each answer"));
}

TEST_CASE("plan states the assumption of an average-case answer, if there is one") {
  const TemporaryFile document(tests::small_task("b b").canonical_json());
  CHECK_FALSE(run({"plan", document.path(), "a0"}).contains("average-case: right only if"));
  const Printed both = run({"plan", document.path(), "a0", "a0 and a1"});
  CHECK(both.contains("\naverage-case: right only if"));
  CHECK(fits(both.text));
}

TEST_CASE("audit prints records in the form of the schema's values") {
  const TemporaryFile document(tests::small_task("b c3 r4").canonical_json());
  const Printed text = run({"audit", document.path()});
  CHECK(fits(text.text));
  CHECK(text.contains("verdict: holds\n"));
  const Json result = parse_json(run({"audit", document.path(), "-o", "json"}).text).value();
  const Task task = tests::small_task("b c3 r4");
  for (const char* const which : {"worst_first", "worst_second"}) {
    CHECK(Record::parse(task.schema(), result.at(which).dump()));
    CHECK(text.contains(result.at(which).dump()));
  }
  const TemporaryFile large(tests::small_task("b r1000 r1000").canonical_json());
  const Printed refused = run({"audit", large.path()});
  REQUIRE_FALSE(refused.status);
  CHECK(refused.status.error().message.find("audit a task of the same channel") != std::string::npos);
}

TEST_CASE("task create --queries refuses a task that cannot answer the queries, before anything is sent") {
  const Task task =
      tests::task_over("b b c3", "1", CharactersSpec{2},
                       SampledSpec{.groups = {{GroupKind::kSingle, 1, 1000, {0, 2}}, {GroupKind::kSingle, 1, 1, {1}}}});
  const TemporaryFile document(task.canonical_json());
  const auto created = [&document](const std::string& queries) {
    const TemporaryFile file(queries);
    // No server listens at this address. So for a task that passes the checks the connection fails.
    const Printed printed =
        run({"task", "create", document.path(), "--queries", file.path(), "--server", "https://127.0.0.1:1"});
    REQUIRE_FALSE(printed.status);
    return printed.status.error();
  };
  CHECK(created("a0\na2 = v1\n").code == ErrorCode::kConnectionFailed);
  CHECK(created("a0\na0 and a2 = v1\n").code == ErrorCode::kQueryNotCovered);
  CHECK(created("a0\na0 and a2 = v1\n").message.find("'a0 and a2 = v1'") != std::string::npos);
  CHECK(created("a0\na1\n").message.find("query 'a1': takes ") == 0);
  CHECK(created("a0\na1\n").message.find(",") < created("a0\na1\n").message.find(" users"));
  CHECK(created("a0\nb7\n").code == ErrorCode::kUnknownAttribute);
}

}  // namespace
}  // namespace hearsay::cli
