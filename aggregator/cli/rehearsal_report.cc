#include "aggregator/cli/rehearsal_report.h"

#include <cmath>

#include "aggregator/cli/layout.h"
#include "common/base/strict_json.h"

namespace hearsay::cli {
namespace {

using console::exact_number;
using console::short_number;

bool covers(const measures::Interval& interval, double truth) {
  constexpr double kRounding = 1e-9;
  return interval.low <= truth + kRounding && interval.high >= truth - kRounding;
}

// Updates the mean of count - 1 numbers by one more number.
void include(double& mean, double number, std::uint64_t count) { mean += (number - mean) / static_cast<double>(count); }

std::string share(std::uint64_t part, std::uint64_t all) { return std::to_string(part) + " of " + std::to_string(all); }

std::string title_of(const RehearsedRow& row) {
  std::string title = row.name.empty() ? row.measure : row.name;
  if (!row.about.empty()) title += ": " + row.about;
  if (row.window) title += ", window " + std::to_string(*row.window);
  return title;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::vector<std::pair<std::string, Json>> members_of(const RowSummary& summary) {
  const RehearsedRow& row = summary.row;
  std::vector<std::pair<std::string, Json>> members{{"measure", row.measure},
                                                    {"name", row.name},
                                                    {"case", row.about},
                                                    {"window", row.window ? Json(*row.window) : Json()},
                                                    {"runs", summary.runs}};
  const auto add = [&](const char* name, double value) {
    members.emplace_back(name, summary.runs == 0 ? Json() : number(value));
  };
  add("true_value", summary.truth);
  add("value", summary.value);
  add("bias", summary.bias());
  add("rmse", summary.rmse());
  add("standard_error", summary.standard_error);
  add("normal_margin", summary.normal_margin);
  members.emplace_back("normal_covered", summary.normal_covered);
  members.emplace_back("guaranteed_covered", summary.guaranteed_covered);
  members.emplace_back("remarks", summary.remark);
  return members;
}

}  // namespace

double RowSummary::rmse() const { return std::sqrt(squared_error); }

void RehearsalSummary::add(const std::vector<RehearsedAnswer>& run) {
  ++runs_;
  if (rows_.empty()) {
    for (const RehearsedAnswer& each : run) rows_.push_back({each.row});
  }
  for (std::size_t i = 0; i < run.size(); ++i) {
    RowSummary& row = rows_[i];
    const Result<measures::Answer>& answer = run[i].answer;
    const double truth = run[i].truth;
    if (!answer || std::isnan(truth)) {
      if (row.remark.empty()) row.remark = answer ? "nobody is in the subpopulation" : answer.error().message;
      continue;
    }
    ++row.runs;
    include(row.truth, truth, row.runs);
    include(row.value, answer->value, row.runs);
    include(row.squared_error, (answer->value - truth) * (answer->value - truth), row.runs);
    include(row.standard_error, answer->standard_error, row.runs);
    include(row.normal_margin, (answer->normal.high - answer->normal.low) / 2, row.runs);
    row.normal_covered += covers(answer->normal, truth) ? 1 : 0;
    row.guaranteed_covered += covers(answer->guaranteed, truth) ? 1 : 0;
    if (row.remark.empty() && !answer->warnings.empty()) row.remark = answer->warnings.front();
  }
}

bool RehearsalSummary::all_answered() const {
  for (const RowSummary& row : rows_) {
    if (row.runs < runs_) return false;
  }
  return true;
}

std::string to_text(const RehearsalSummary& summary, double confidence) {
  console::Table table{{"true", "value", "rmse", "std error", "normal ±", "covered", "measure"}, {}};
  std::string remarks;
  for (const RowSummary& row : summary.rows()) {
    const std::string title = title_of(row.row);
    std::vector<std::string> cells(table.header.size(), "-");
    if (row.runs > 0) {
      cells[0] = short_number(row.truth);
      cells[1] = short_number(row.value);
      cells[2] = short_number(row.rmse(), 3);
      cells[3] = short_number(row.standard_error, 3);
      cells[4] = std::isfinite(row.normal_margin) ? short_number(row.normal_margin, 3) : "unbounded";
      cells[5] = share(row.normal_covered, row.runs);
    }
    cells.back() = title;
    if (!row.remark.empty()) remarks += paragraph("`" + shortened(title, 60) + "`: " + row.remark);
    table.rows.push_back(std::move(cells));
  }
  return to_text(table) + '\n' +
         paragraph(
             "value, std error, normal ±: means over the runs; rmse: the root mean square of the errors; covered: runs "
             "whose normal interval holds the truth, in the long run about " +
             short_number(100 * confidence) + " % of the runs") +
         remarks;
}

console::Table to_table(const RehearsalSummary& summary) {
  console::Table table;
  for (const auto& [name, value] : members_of(RowSummary{})) table.header.push_back(name);
  for (const RowSummary& row : summary.rows()) {
    std::vector<std::string> cells;
    for (const auto& [name, value] : members_of(row)) {
      cells.push_back(value.is_null()           ? ""
                      : value.is_string()       ? value.get<std::string>()
                      : value.is_number_float() ? exact_number(value.get<double>())
                                                : value.dump());
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Json to_json(const RehearsalSummary& summary) {
  Json rows = Json::array();
  for (const RowSummary& row : summary.rows()) {
    Json object;
    for (const auto& [name, value] : members_of(row)) object[name] = value;
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace hearsay::cli
