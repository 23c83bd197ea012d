#include "aggregator/cli/measure_report.h"

#include <utility>
#include <vector>

#include "aggregator/cli/estimate_report.h"
#include "aggregator/cli/layout.h"
#include "aggregator/measures/times.h"

namespace hearsay::cli {
namespace {

using console::short_number;

std::string title_of(const Json& item) {
  return item.contains("name") ? item.at("name").get<std::string>() : item.at("measure").get<std::string>();
}

std::string whole_title(const Json& item) {
  std::string text = title_of(item);
  if (item.contains("case")) text += ": " + item.at("case").get<std::string>();
  if (item.contains("from")) text += ", from " + measures::time_text(item.at("from").get<UnixSeconds>());
  return text;
}

std::string interval_text(const Json& interval) {
  if (interval.at(0).is_null() || interval.at(1).is_null()) return "unbounded";
  return short_number(interval.at(0).get<double>()) + " to " + short_number(interval.at(1).get<double>());
}

std::string measure_remarks(const Json& item) {
  const std::string title = "`" + shortened(whole_title(item), 70) + "`: ";
  if (item.contains("error")) return paragraph(title + error_text(item.at("error")));
  std::string remarks;
  if (item.at("guarantee") != "worst-case") remarks += paragraph(title + item.at("guarantee").get<std::string>());
  for (const Json& warning : item.at("warnings")) remarks += paragraph(title + warning.get<std::string>());
  return remarks;
}

std::string tests_of(const Json& answers) {
  std::string text;
  for (const Json& test : answers.value("no_change", Json::array())) {
    text += paragraph("`" + shortened(whole_title(test), 70) + "`: p-value of no change " +
                      short_number(test.at("p").get<double>(), 3) + " (chi-square " +
                      short_number(test.at("statistic").get<double>(), 4) + " with " +
                      short_number(test.at("degrees").get<double>()) + " degrees of freedom)");
  }
  return text;
}

}  // namespace

std::string text_of_measures(const Json& answers) {
  console::Table table{{"value", "std error", "normal", "guaranteed", "influence", "measure"}, {}};
  std::string remarks;
  for (const Json& item : answers.at("measures")) {
    std::vector<std::string> cells(table.header.size(), "-");
    cells.back() = whole_title(item);
    remarks += measure_remarks(item);
    if (!item.contains("error")) {
      cells[0] = short_number(item.at("value").get<double>());
      cells[1] = short_number(item.at("standard_error").get<double>(), 3);
      cells[2] = interval_text(item.at("normal"));
      cells[3] = interval_text(item.at("guaranteed"));
      cells[4] = short_number(item.at("influence").get<double>(), 3);
    }
    table.rows.push_back(std::move(cells));
  }
  return to_text(table) + '\n' + tests_of(answers) + remarks;
}

}  // namespace hearsay::cli
