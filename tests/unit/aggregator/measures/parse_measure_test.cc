#include <doctest/doctest.h>

#include <string>

#include "aggregator/measures/measure.h"

namespace hearsay::measures {
namespace {

Schema schema() {
  return Schema::parse(R"([{"name":"woman","type":"boolean"},{"name":"admitted","type":"boolean"},
                           {"name":"dept","type":"categorical","values":["A","B","C"]},
                           {"name":"age","type":"range","min":18,"max":21},
                           {"name":"years worked, paid","type":"range","min":0,"max":3},
                           {"name":"by","type":"boolean"}])")
      .value();
}

Measure parsed(const std::string& text) {
  const auto measure = parse(schema(), text);
  INFO(text << ": " << (measure ? "" : measure.error().message));
  REQUIRE(measure);
  return *measure;
}

std::string refused(const std::string& text) {
  const auto measure = parse(schema(), text);
  REQUIRE_FALSE(measure);
  return measure.error().message;
}

TEST_CASE("a share has a query, and may have a subpopulation after `among` and an attribute after `by`") {
  const Measure all = parsed("admitted and age in 18..19");
  CHECK(all.kind == Kind::kShare);
  CHECK_FALSE(all.among);
  CHECK_FALSE(all.by);
  const Measure some = parsed("admitted among woman or not (age >= 20) by dept");
  CHECK(some.query->to_string(schema()) == "admitted");
  CHECK(some.among->to_string(schema()) == "woman or not age >= 20");
  CHECK(some.by == 2);
}

TEST_CASE("means, quantiles, histograms and cumulative shares name attributes") {
  CHECK(parsed("mean(age + \"years worked, paid\")").attributes == std::vector<std::uint32_t>{3, 4});
  CHECK(parsed("mean(woman)").attributes == std::vector<std::uint32_t>{0});
  CHECK(parsed("quantile(age, 0.9) among woman").level == 0.9);
  CHECK(parsed("median(age)").level == 0.5);
  CHECK(parsed("histogram(dept) by age").kind == Kind::kHistogram);
  CHECK(parsed("cumulative(age)").kind == Kind::kCumulative);
}

TEST_CASE("differences and ratios nest, and a comma within a query does not end an operand") {
  const Measure nested = parsed("ratio(difference(mean(age) among woman, mean(age)), dept in {A, B}) among admitted");
  REQUIRE(nested.operands.size() == 2);
  CHECK(nested.operands[0].kind == Kind::kDifference);
  CHECK(nested.operands[0].operands[0].among->to_string(schema()) == "woman");
  CHECK(nested.operands[1].query->to_string(schema()) == "dept != C");
  CHECK(nested.among->to_string(schema()) == "admitted");
}

TEST_CASE("words of the grammar name attributes if they are in quotes") {
  CHECK(parsed("\"by\" among not \"by\"").query->to_string(schema()) == "by");
  CHECK(parsed("woman by \"by\"").by == 5);
}

TEST_CASE("the error about an unknown measure names the nearest known measure") {
  const std::string men = refused("men(age)");
  CHECK(men.starts_with("line 1, column 1: there is no measure men(…); there are mean, histogram, "));
  CHECK(men.ends_with("; did you mean 'mean'?"));
  CHECK(refused("difference(woman, avg(age))").starts_with("line 1, column 19: there is no measure avg(…)"));
  CHECK(parsed("not (woman)").query->to_string(schema()) == "not woman");
}

TEST_CASE("errors give the line and the column within the whole text") {
  CHECK(refused("admitted among\n  womn").starts_with("line 2, column 3: "));
  CHECK(refused("difference(woman,\n adm)").starts_with("line 2, column 2: "));
  CHECK(refused("mean(age, woman)").starts_with("line 1, column 1: "));
  CHECK(refused("mean(dept)").starts_with("line 1, column 6: "));
  CHECK(refused("quantile(age, 1)").starts_with("line 1, column 15: "));
  CHECK(refused("quantile(age, 0.5x)").starts_with("line 1, column 15: "));
  CHECK(refused("woman among").starts_with("line 1, column 12: "));
  CHECK(refused("").starts_with("line 1, column 1: "));
  CHECK(refused("(woman").starts_with("line 1, column 1: "));
  CHECK(refused("woman)").starts_with("line 1, column 6: "));
  CHECK(refused("mean(age) + 1").starts_with("line 1, column 11: "));
  CHECK(refused("difference(woman by dept, woman)").starts_with("line 1, column 18: "));
  CHECK(refused("difference(median(age), woman)").starts_with("line 1, column 12: "));
  CHECK(refused("woman by dept dept").starts_with("line 1, column 15: "));
}

TEST_CASE("the depth and the size of a measure are bounded") {
  std::string deep = "woman";
  for (int i = 0; i < 8; ++i) deep = "difference(" + deep + ", woman)";
  CHECK(parse(schema(), deep));
  CHECK(parse(schema(), "difference(" + deep + ", woman)").error().code == ErrorCode::kQueryTooLarge);
  const auto balanced = [](auto&& self, int depth) -> std::string {
    return depth == 0 ? "woman" : "difference(" + self(self, depth - 1) + "," + self(self, depth - 1) + ")";
  };
  CHECK(parse(schema(), balanced(balanced, 4)));
  CHECK(parse(schema(), balanced(balanced, 5)).error().code == ErrorCode::kQueryTooLarge);
  CHECK(parse(schema(), std::string(70'000, ' ')).error().code == ErrorCode::kQueryTooLarge);
}

TEST_CASE("each line of a file is a comment or a measure, and a measure may have a name") {
  const auto measures = read_file(
      "# survey\n\nolder: mean(age) among woman\r\nat_least(1, woman, admitted)\n"
      "\"share, of all\": woman\n");
  REQUIRE(measures);
  REQUIRE(measures->size() == 3);
  CHECK((*measures)[0].name == "older");
  CHECK((*measures)[0].text == "mean(age) among woman");
  CHECK((*measures)[1].name.empty());
  CHECK((*measures)[2].name == "share, of all");
  CHECK(read_file("# nothing\n").error().code == ErrorCode::kQuerySyntax);
  CHECK(read_file("a: woman\n\na: admitted").error().message.starts_with("line 3: "));
  CHECK(read_file("a:  ").error().message.starts_with("line 1: "));
}

}  // namespace
}  // namespace hearsay::measures
