#include "aggregator/cli/estimate_report.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "aggregator/cli/layout.h"
#include "aggregator/cli/table_cells.h"
#include "aggregator/csv/fields.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"
#include "common/schema/value_text.h"

namespace hearsay::cli {
namespace {

constexpr std::size_t kLongestName = 60;  // the most columns of a query that a remark repeats

std::string short_text(const Json& number, int digits = 3) {
  return console::short_number(number.get<double>(), digits);
}

// Consistent values come from an iteration and are not exact. So the text shows numbers below half a millionth as 0.
std::string consistent_text(const Json& number) {
  return console::short_number(std::round(number.get<double>() * 1e6) / 1e6);
}

std::vector<std::string> remarks_on(const Json& estimate) {
  if (estimate.contains("error")) return {error_text(estimate.at("error"))};
  std::vector<std::string> remarks;
  if (estimate.at("guarantee") != "worst-case") {
    std::string text = estimate.at("guarantee").get<std::string>();
    if (estimate.contains("fit"))
      text += ", p-value of this assumption " + short_text(estimate.at("fit").at("query").at("p"));
    remarks.push_back(std::move(text));
  }
  for (const Json& warning : estimate.at("warnings")) remarks.push_back(warning.get<std::string>());
  return remarks;
}

std::string legend(bool project) {
  return paragraph(
      "normal ±: half the width of the normal interval; guaranteed ±: half the width of the interval that holds the "
      "truth at least as often as the confidence says, with any number of reports; influence: the most that one false "
      "report can move the estimate" +
      std::string(project
                      ? "; projected: a value that agrees with all other projected values here, none of them negative"
                      : ""));
}

}  // namespace

std::string joined(const Json& warnings) {
  std::string text;
  for (const Json& warning : warnings) text += (text.empty() ? "" : "; ") + warning.get<std::string>();
  return text;
}

std::string error_text(const Json& error) {
  const std::string type = error.at("type").get<std::string>();
  return std::string(problem_name(type)) + ": " + error.at("detail").get<std::string>();
}

std::string about(const Json& table) {
  return csv::write_fields(table.at("attributes").get<std::vector<std::string>>()) + ": ";
}

std::string text_of_estimates(const Json& estimates, bool project) {
  console::Table table{{"value", "std error", "normal ±", "guaranteed ±", "influence"}, {}};
  if (project) table.header.emplace_back("projected");
  table.header.emplace_back("query");
  std::string remarks;
  bool some_answer = false;
  for (const Json& estimate : estimates) {
    const std::string query = estimate.at("query").get<std::string>();
    std::vector<std::string> cells(table.header.size(), "-");
    cells.back() = query;
    for (const std::string& remark : remarks_on(estimate)) {
      remarks += paragraph("`" + shortened(query, kLongestName) + "`: " + remark);
    }
    if (!estimate.contains("error")) {
      some_answer = true;
      const auto half_width = [&estimate](const char* interval) {
        const double low = estimate.at(interval).at(0).get<double>();
        return console::short_number((estimate.at(interval).at(1).get<double>() - low) / 2, 3);
      };
      cells[0] = short_text(estimate.at("value"), 4);
      cells[1] = short_text(estimate.at("standard_error"));
      cells[2] = half_width("normal");
      cells[3] = half_width("guaranteed");
      cells[4] = short_text(estimate.at("influence"));
      if (project && estimate.contains("projected")) cells[5] = consistent_text(estimate.at("projected"));
    }
    table.rows.push_back(std::move(cells));
  }
  return to_text(table) + '\n' + (some_answer ? legend(project) : "") + remarks;
}

Result<std::string> text_of_cells(const Json& table, const Schema& schema) {
  constexpr std::size_t kNumberColumns = 50;  // the width of the four numbers and the gaps before them
  HEARSAY_TRY(const TableCells cells_of, TableCells::create(table, schema));
  const std::size_t count = cells_of.attributes().size();
  const std::size_t each =
      std::max<std::size_t>((std::max(line_columns(), kNumberColumns) - kNumberColumns) / count, 6) - 2;
  bool some_cut = false;
  const auto cut = [&](const std::string& text) {
    std::string shown = shortened(text, each);
    some_cut = some_cut || shown != text;
    return shown;
  };
  const bool projected = table.contains("projected");
  console::Table text;
  for (std::size_t i = 0; i < count; ++i) text.header.push_back(cut(cells_of.heading(i)));
  text.header.insert(text.header.end(), {"value", "std error", "normal ±"});
  if (projected) text.header.emplace_back("projected");
  for (std::size_t cell = 0; cell < table.at("values").size(); ++cell) {
    std::vector<std::string> cells;
    for (const std::string& value : cells_of.values(cell)) cells.push_back(cut(value));
    const double standard_error = table.at("standard_errors").at(cell).get<double>();
    cells.push_back(short_text(table.at("values").at(cell), 4));
    cells.push_back(console::short_number(standard_error, 3));
    cells.push_back(console::short_number(cells_of.margin(cell), 3));
    if (projected) cells.push_back(consistent_text(table.at("projected").at(cell)));
    text.rows.push_back(std::move(cells));
  }
  return text.to_text() + (some_cut ? "…: a text was cut; -o csv prints all texts in full\n" : "");
}

}  // namespace hearsay::cli
