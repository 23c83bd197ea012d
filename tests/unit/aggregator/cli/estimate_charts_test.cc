#include "aggregator/cli/estimate_charts.h"

#include <doctest/doctest.h>

#include <cmath>

#include "common/base/strict_json.h"
#include "tests/support/planned_tasks.h"
#include "tests/support/sampled_cases.h"

namespace hearsay::cli {
namespace {

Task titled_task() {
  TaskSpec spec = tests::spec_over("b r5", "2");
  spec.title = "Commuting";
  spec.schema = Schema::parse(R"([{"name": "smoker", "type": "boolean"}, {"name": "minutes", "type": "range",
      "min": 0, "max": 4, "title": "Minutes on a bicycle", "unit": "min"}])")
                    .value();
  spec.arrangement = CharactersSpec{2};
  spec.channel = tests::groups_of({{GroupKind::kSingle, 1, 1}});
  return Task::create(std::move(spec)).value();
}

Json answers(const std::string& members) {
  return parse_json(R"({"reports": 1200, "epsilon": "2", "confidence": 0.9, "estimates": [], )" + members + "}")
      .value();
}

std::string answer(const std::string& measure, const std::string& more) {
  return R"({"measure": ")" + measure +
         R"(", "value": 2.5, "standard_error": 0.5, "normal": [1.5, null], )"
         R"("guaranteed": [null, null], "influence": 1, "guarantee": "worst-case", "warnings": [])" +
         more + "}";
}

template <class Chart>
const Chart& panel(const charts::Figure& figure, std::size_t i) {
  REQUIRE(figure.panels.size() > i);
  const Chart* chart = std::get_if<Chart>(&figure.panels[i]);
  REQUIRE(chart != nullptr);
  return *chart;
}

TEST_CASE("estimates that share an axis share a panel, with the attribute's title and unit") {
  const charts::Figure figure =
      figure_of(
          answers(R"("measures": [)" + answer("mean(minutes)", "") + "," + answer("smoker", R"(, "name": "smokers")") +
                  "," + answer("median(minutes)", "") + "," + answer("difference(smoker, not smoker)", "") + "]"),
          titled_task(), ", from then")
          .value();
  CHECK(figure.title == "Commuting");
  CHECK(figure.subtitle == "1,200 reports, ε = 2, intervals of 90 %, from then");
  REQUIRE(figure.panels.size() == 3);
  const auto& minutes = panel<charts::IntervalChart>(figure, 0);
  CHECK(minutes.axis_title == "Minutes on a bicycle (min)");
  CHECK(minutes.limits.empty());
  REQUIRE(minutes.rows.size() == 2);
  CHECK(minutes.rows[1].label == "median(minutes)");
  CHECK(*minutes.rows[0].value == 2.5);
  CHECK(minutes.rows[0].normal.low == 1.5);
  CHECK_FALSE(std::isfinite(minutes.rows[0].normal.high));
  const auto& shares = panel<charts::IntervalChart>(figure, 1);
  CHECK(shares.limits == std::vector<double>{0, 1});
  CHECK(shares.rows[0].label == "smokers");
  CHECK(panel<charts::IntervalChart>(figure, 2).limits == std::vector<double>{0});
}

TEST_CASE("the cases of a measure share a panel, and trends over periods have at most seven curves in a panel") {
  std::string rows;
  std::string trend;
  for (int i = 0; i < 9; ++i) {
    const std::string of = R"(, "case": "minutes = )" + std::to_string(i) + "\"";
    rows += (i == 0 ? "" : ",") + answer("smoker by minutes", of);
    for (const char* from : {"0", "86400"}) {
      trend +=
          (trend.empty() ? "" : ",") + answer("smoker by minutes", of + R"(, "from": )" + from + R"(, "to": 172800)");
    }
  }
  const auto cases = figure_of(answers(R"("measures": [)" + rows + "]"), titled_task(), "");
  CHECK(panel<charts::IntervalChart>(*cases, 0).rows.size() == 9);
  CHECK(panel<charts::IntervalChart>(*cases, 0).title == "smoker by minutes");
  const auto trends =
      figure_of(answers(R"("time_zone": "Europe/Berlin", "measures": [)" + trend + "]"), titled_task(), "");
  REQUIRE(trends);
  REQUIRE(trends->panels.size() == 2);
  const auto& first = panel<charts::TrendChart>(*trends, 0);
  CHECK(first.periods == std::vector<std::string>{"1970-01-01 01:00", "1970-01-02 01:00"});
  CHECK(first.trends.size() == 7);
  CHECK(first.trends[6].name == "minutes = 6");
  CHECK(first.trends[6].points[1].period == 1);
  CHECK(panel<charts::TrendChart>(*trends, 1).trends.size() == 2);
}

TEST_CASE("a table of one attribute becomes rows of intervals, and a table of two becomes a heat map") {
  const std::string tables = R"("tables": [
      {"attributes": ["minutes"], "values": [0.1, 0.2, 0.3, 0.2, 0.2], "standard_errors": [0.01, 0.01, 0.01, 0.01, 0.02],
       "quantile": 2, "warnings": []},
      {"attributes": ["smoker", "minutes"], "values": [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
       "standard_errors": [1, 1, 1, 1, 1, 1, 1, 1, 1, 2], "quantile": 2, "warnings": []},
      {"attributes": ["smoker"], "error": {"type": "urn:hearsay:error:no_reports", "detail": "none"}}])";
  const auto figure = figure_of(answers(tables), titled_task(), "");
  REQUIRE(figure);
  REQUIRE(figure->panels.size() == 2);
  const auto& one = panel<charts::IntervalChart>(*figure, 0);
  REQUIRE(one.rows.size() == 5);
  CHECK(one.rows[4].label == "4");
  CHECK(one.rows[4].normal.high == doctest::Approx(0.24));
  CHECK_FALSE(one.rows[4].guaranteed);
  const auto& map = panel<charts::HeatMap>(*figure, 1);
  CHECK(map.rows == std::vector<std::string>{"no", "yes"});
  CHECK(map.columns == std::vector<std::string>{"0", "1", "2", "3", "4"});
  CHECK(map.column_title == "Minutes on a bicycle (min)");
  CHECK(map.values[9] == 0.9);
  CHECK(map.margins[9] == 4);
}

TEST_CASE("a figure with more marks than people can read is refused") {
  Json many = answers(R"("measures": [])");
  const Json one = parse_json(answer("histogram(minutes)", R"(, "case": "minutes = 1")")).value();
  for (int i = 0; i < 50'001; ++i) many["measures"].push_back(one);
  CHECK(figure_of(many, titled_task(), "").error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::cli
