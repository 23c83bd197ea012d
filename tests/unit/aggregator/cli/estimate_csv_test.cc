#include "aggregator/cli/estimate_csv.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "common/base/strict_json.h"

namespace hearsay::cli {
namespace {

Schema schema() {
  return Schema::create(
             {Attribute::boolean("smoker").value(), Attribute::categorical("value", {"a", "b, \"c\""}).value()})
      .value();
}

Json answers() {
  return parse_json(R"json({"reports": 900, "from": 86400, "estimates": [
      {"query": "smoker", "value": 0.25, "standard_error": 0.1, "normal": [0.05, 0.45], "guaranteed": [-0.5, 1],
       "influence": 0.01, "guarantee": "average-case", "fit": {"query": {"p": 0.125}}, "projected": 0.26,
       "warnings": ["one", "two"]},
      {"query": "pilot", "error": {"type": "urn:hearsay:error:query_not_covered", "detail": "never asked"}}],
    "measures": [
      {"measure": "mean(age) by sex", "name": "age", "case": "sex", "from": 0, "to": 86400, "reports": 12, "value": 3.5,
       "standard_error": 0.5, "normal": [null, 4], "guaranteed": [null, null], "influence": 0.2,
       "guarantee": "worst-case", "warnings": []}],
    "no_change": [{"measure": "mean(age) by sex", "name": "age", "case": "other", "p": 0.75},
                  {"measure": "mean(age) by sex", "name": "age", "case": "sex", "p": 0.5}],
    "tables": [{"attributes": ["smoker", "value"], "values": [0.1, 0.2, 0.3, 0.4],
                "standard_errors": [0.5, 0.5, 0.5, 0.25], "quantile": 2, "projected": [0, 0, 0, 1], "warnings": []},
               {"attributes": ["value"], "error": {"type": "urn:hearsay:error:no_reports", "detail": "none"}}]})json")
      .value();
}

std::string cell(const console::Table& table, std::size_t row, const std::string& column) {
  const auto found = std::find(table.header.begin(), table.header.end(), column);
  CAPTURE(column);
  REQUIRE(found != table.header.end());
  return table.rows[row][static_cast<std::size_t>(found - table.header.begin())];
}

TEST_CASE("queries, measures and cells are rows of one table, and a column gives the kind of each row") {
  const console::Table table = csv_of_answers(answers(), schema()).value();
  REQUIRE(table.rows.size() == 8);
  for (const auto& row : table.rows) CHECK(row.size() == table.header.size());
  std::vector<std::string> names = table.header;
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());

  const std::vector<std::string> kinds{"query", "query", "measure", "table", "table", "table", "table", "table"};
  for (std::size_t i = 0; i < kinds.size(); ++i) CHECK(table.rows[i][0] == kinds[i]);

  CHECK(cell(table, 0, "question") == "smoker");
  CHECK(cell(table, 0, "from") == "1970-01-02T00:00:00Z");
  CHECK(cell(table, 0, "to").empty());
  CHECK(cell(table, 0, "reports") == "900");
  CHECK(cell(table, 0, "value") == "0.25");
  CHECK(cell(table, 0, "normal_high") == "0.45");
  CHECK(cell(table, 0, "guaranteed_low") == "-0.5");
  CHECK(cell(table, 0, "fit_p") == "0.125");
  CHECK(cell(table, 0, "projected") == "0.26");
  CHECK(cell(table, 0, "remarks") == "one; two");
  CHECK(cell(table, 1, "value").empty());
  CHECK(cell(table, 1, "remarks") == "query_not_covered: never asked");

  CHECK(cell(table, 2, "name") == "age");
  CHECK(cell(table, 2, "case") == "sex");
  CHECK(cell(table, 2, "from") == "1970-01-01T00:00:00Z");
  CHECK(cell(table, 2, "reports") == "12");
  CHECK(cell(table, 2, "normal_low").empty());
  CHECK(cell(table, 2, "normal_high") == "4");
  CHECK(cell(table, 2, "no_change_p") == "0.5");

  // The last attribute changes fastest. If an attribute has the name of another column, its name gets a prefix.
  CHECK(cell(table, 6, "question") == "smoker,value");
  CHECK(cell(table, 6, "smoker") == "yes");
  CHECK(cell(table, 6, "attribute value") == "b, \"c\"");
  CHECK(cell(table, 6, "value") == "0.4");
  CHECK(cell(table, 6, "normal_low") == "-0.09999999999999998");
  CHECK(cell(table, 6, "projected") == "1");
  CHECK(cell(table, 5, "attribute value") == "a");
  CHECK(cell(table, 7, "remarks") == "no_reports: none");
  CHECK(cell(table, 0, "smoker").empty());
}

TEST_CASE("the p-value of a test of all periods is in the row of each period, and in no other row") {
  Json json = answers();
  json["measures"].push_back(json["measures"][0]);
  json["measures"][1]["case"] = "third";
  json["measures"].push_back(json["measures"][0]);
  json["no_change"].push_back(json["no_change"][1]);
  json["no_change"][2]["p"] = 0.25;
  const console::Table table = csv_of_answers(json, schema()).value();
  CHECK(cell(table, 0, "no_change_p").empty());
  CHECK(cell(table, 2, "no_change_p") == "0.5");
  CHECK(cell(table, 3, "no_change_p").empty());
  CHECK(cell(table, 4, "no_change_p") == "0.5");
}

TEST_CASE("a table of another schema is refused") {
  Json other = answers();
  other["tables"][0]["attributes"][0] = "work";
  CHECK(csv_of_answers(other, schema()).error().code == ErrorCode::kTaskMismatch);
}

}  // namespace
}  // namespace hearsay::cli
