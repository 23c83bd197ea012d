#include "aggregator/cli/estimate_csv.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/cli/estimate_report.h"
#include "aggregator/cli/table_cells.h"
#include "aggregator/csv/fields.h"
#include "aggregator/measures/times.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {
namespace {

const std::vector<std::string> kColumnNames{"kind",
                                            "question",
                                            "name",
                                            "case",
                                            "from",
                                            "to",
                                            "reports",
                                            "value",
                                            "standard_error",
                                            "normal_low",
                                            "normal_high",
                                            "guaranteed_low",
                                            "guaranteed_high",
                                            "influence",
                                            "guarantee",
                                            "fit_p",
                                            "projected",
                                            "no_change_p"};

using Row = std::map<std::string, std::string>;

std::string number(const Json& json) { return json.is_null() ? "" : console::exact_number(json.get<double>()); }

void add_interval(Row& row, const std::string& name, const Json& interval) {
  row[name + "_low"] = number(interval.at(0));
  row[name + "_high"] = number(interval.at(1));
}

class Rows {
 public:
  Rows(const Json& answers, const Schema& schema) : answers_(answers), schema_(schema) {
    if (!answers.contains("no_change")) return;
    for (const Json& test : answers.at("no_change")) no_change_.emplace(key_of(test), &test);
  }

  Result<console::Table> table() {
    for (const Json& estimate : answers_.at("estimates")) add(estimate, "query", estimate.at("query"));
    if (answers_.contains("measures")) {
      for (const Json& measure : answers_.at("measures")) add(measure, "measure", measure.at("measure"));
    }
    if (answers_.contains("tables")) {
      for (const Json& table : answers_.at("tables")) HEARSAY_CHECK_OK(add_table(table));
    }
    console::Table result;
    result.header = kColumnNames;
    result.header.insert(result.header.end(), attributes_.begin(), attributes_.end());
    result.header.emplace_back("remarks");
    for (Row& row : rows_) {
      std::vector<std::string> cells;
      for (const std::string& column : result.header) cells.push_back(std::move(row[column]));
      result.rows.push_back(std::move(cells));
    }
    return result;
  }

 private:
  using Key = std::array<std::string, 3>;

  // Returns the cells that every row has: kind, question, name, case, time, and number of reports. If there is no
  // answer, also returns the reason.
  Row head(const Json& item, const char* kind, const Json& question) const {
    Row row{{"kind", kind}, {"question", question.get<std::string>()}};
    for (const char* key : {"name", "case"}) row[key] = item.value(key, "");
    const Json& times = item.contains("from") ? item : answers_;
    for (const char* key : {"from", "to"}) {
      const UnixSeconds time = times.value(key, UnixSeconds{0});
      if (time > 0 || item.contains(key)) row[key] = measures::time_text(time);
    }
    const Json& reports = item.contains("reports") ? item.at("reports") : answers_.at("reports");
    row["reports"] = std::to_string(reports.get<std::uint64_t>());
    if (item.contains("error")) row["remarks"] = error_text(item.at("error"));
    return row;
  }

  void add(const Json& item, const char* kind, const Json& question) {
    Row row = head(item, kind, question);
    if (!item.contains("error")) {
      for (const char* key : {"value", "standard_error", "influence"}) row[key] = number(item.at(key));
      for (const char* key : {"normal", "guaranteed"}) add_interval(row, key, item.at(key));
      row["guarantee"] = item.at("guarantee").get<std::string>();
      if (item.contains("fit")) row["fit_p"] = number(item.at("fit").at("query").at("p"));
      if (item.contains("projected")) row["projected"] = number(item.at("projected"));
      row["no_change_p"] = no_change_of(item);
      row["remarks"] = joined(item.at("warnings"));
    }
    rows_.push_back(std::move(row));
  }

  // Returns the p-value of the test of "no change" over all periods. Each period's row has this p-value.
  std::string no_change_of(const Json& item) const {
    const auto found = no_change_.find(key_of(item));
    return found == no_change_.end() ? "" : number(found->second->at("p"));
  }

  // Returns the measure, name and case. A test and the answers for its periods have the same key.
  static Key key_of(const Json& item) {
    return {item.value("measure", ""), item.value("name", ""), item.value("case", "")};
  }

  Result<void> add_table(const Json& table) {
    const Json names = csv::write_fields(table.at("attributes").get<std::vector<std::string>>());
    const Row common = head(table, "table", names);
    if (table.contains("error")) {
      rows_.push_back(common);
      return {};
    }
    HEARSAY_TRY(const TableCells cells, TableCells::create(table, schema_));
    std::vector<std::string> columns;
    for (const std::size_t attribute : cells.attributes()) columns.push_back(column_of(schema_[attribute].name()));
    for (std::size_t cell = 0; cell < table.at("values").size(); ++cell) {
      Row row = common;
      const double value = table.at("values").at(cell).get<double>();
      row["value"] = console::exact_number(value);
      row["standard_error"] = number(table.at("standard_errors").at(cell));
      row["normal_low"] = console::exact_number(value - cells.margin(cell));
      row["normal_high"] = console::exact_number(value + cells.margin(cell));
      if (table.contains("projected")) row["projected"] = number(table.at("projected").at(cell));
      row["remarks"] = joined(table.at("warnings"));
      const std::vector<std::string> values = cells.values(cell);
      for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values[i];
      rows_.push_back(std::move(row));
    }
    return {};
  }

  // Returns the name of the column for an attribute's values: the attribute's name, or "attribute NAME" if another
  // column has that name.
  std::string column_of(const std::string& attribute) {
    const bool taken =
        attribute == "remarks" || std::find(kColumnNames.begin(), kColumnNames.end(), attribute) != kColumnNames.end();
    const std::string column = taken ? "attribute " + attribute : attribute;
    if (std::find(attributes_.begin(), attributes_.end(), column) == attributes_.end()) attributes_.push_back(column);
    return column;
  }

  const Json& answers_;
  const Schema& schema_;
  std::map<Key, const Json*> no_change_;
  std::vector<Row> rows_;
  std::vector<std::string> attributes_;
};

}  // namespace

Result<console::Table> csv_of_answers(const Json& answers, const Schema& schema) {
  return Rows(answers, schema).table();
}

}  // namespace hearsay::cli
