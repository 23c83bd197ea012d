#include "aggregator/cli/estimate_charts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "aggregator/cli/estimate_report.h"
#include "aggregator/cli/table_cells.h"
#include "aggregator/console/table.h"
#include "aggregator/measures/measure.h"
#include "aggregator/measures/times.h"
#include "common/base/number_text.h"
#include "common/base/try.h"
#include "common/schema/value_text.h"

namespace hearsay::cli {
namespace {

constexpr std::size_t kMostMarks = 50'000;

struct Scale {
  std::string title;
  std::vector<double> limits;  // values that the axis must show
  bool operator==(const Scale&) const = default;
};

const Scale kShare{"share of the reporters", {0, 1}};
const Scale kParts{"share of the reporters", {0}};  // the scale for many values with small shares

Scale scale_of(const measures::Measure& measure, const Schema& schema) {
  using measures::Kind;
  const std::string within = measure.among ? "share within the group" : kShare.title;
  switch (measure.kind) {
    case Kind::kShare:
      return {within, {0, 1}};
    case Kind::kHistogram:
      return {within, {0}};
    case Kind::kCumulative:
      return {"cumulative " + within, {0, 1}};
    case Kind::kRatio:
      return {"ratio", {}};
    case Kind::kDifference: {
      const Scale of = scale_of(measure.operands.front(), schema);
      return {"difference: " + of.title, {0}};
    }
    case Kind::kMean:
    case Kind::kQuantile:
      break;
  }
  std::string title;
  for (const std::uint32_t attribute : measure.attributes) {
    title += (title.empty() ? "" : " + ") + heading(schema[attribute]);
  }
  return {title, {}};
}

// In the answer, an unbounded end of an interval is null.
charts::Interval interval_of(const Json& interval) {
  const auto end = [](const Json& json) { return json.is_null() ? std::nan("") : json.get<double>(); };
  return {end(interval.at(0)), end(interval.at(1))};
}

charts::IntervalRow row_of(std::string label, const Json& item) {
  charts::IntervalRow row{std::move(label), std::nullopt, {}, std::nullopt, ""};
  if (item.contains("error")) {
    row.note = error_text(item.at("error"));
    return row;
  }
  row.value = item.at("value").get<double>();
  row.normal = interval_of(item.at("normal"));
  row.guaranteed = interval_of(item.at("guaranteed"));
  return row;
}

class Builder {
 public:
  Builder(const Json& answers, const Task& task) : answers_(answers), task_(task) {}

  Result<std::vector<charts::Panel>> build() {
    for (const Json& estimate : answers_.at("estimates")) {
      add_row(kShare, row_of(estimate.at("query").get<std::string>(), estimate));
    }
    if (answers_.contains("measures")) HEARSAY_CHECK_OK(add_measures());
    for (auto& [scale, chart] : shared_) panels_.insert(panels_.begin() + inserted_++, std::move(chart));
    if (answers_.contains("tables")) {
      for (const Json& table : answers_.at("tables")) HEARSAY_CHECK_OK(add_table(table));
    }
    if (marks_ <= kMostMarks) return std::move(panels_);
    return Error{ErrorCode::kLimitExceeded, "a chart of " + with_separators(marks_) + " estimates, more than " +
                                                with_separators(kMostMarks) +
                                                ", is not drawn: ask for fewer measures, values or periods, or leave "
                                                "--svg out"};
  }

 private:
  void add_row(const Scale& scale, charts::IntervalRow row) {
    ++marks_;
    auto place = std::find_if(shared_.begin(), shared_.end(), [&](const auto& each) { return each.first == scale; });
    if (place == shared_.end()) {
      shared_.emplace_back(scale, charts::IntervalChart{"", scale.title, scale.limits, {}});
      place = shared_.end() - 1;
    }
    place->second.rows.push_back(std::move(row));
  }

  // Puts the rows of one measure into the same panel.
  Result<void> add_measures() {
    const Json& items = answers_.at("measures");
    const auto same = [](const Json& a, const Json& b) {
      return a.at("measure") == b.at("measure") && a.value("name", "") == b.value("name", "");
    };
    std::vector<std::vector<const Json*>> groups;
    for (const Json& item : items) {
      const auto known =
          std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return same(*group.front(), item); });
      if (known == groups.end()) {
        groups.push_back({&item});
      } else {
        known->push_back(&item);
      }
    }
    for (const auto& group : groups) HEARSAY_CHECK_OK(add_measure(group));
    return {};
  }

  Result<void> add_measure(const std::vector<const Json*>& items) {
    const Json& first = *items.front();
    const std::string text = first.at("measure").get<std::string>();
    const std::string title = first.contains("name") ? first.at("name").get<std::string>() : text;
    const auto measure = measures::parse(task_.schema(), text);
    // If parse() fails here, the aggregator has answered the measure with an error.
    const Scale scale = measure ? scale_of(*measure, task_.schema()) : kShare;
    if (first.contains("from")) return add_trends(title, scale, items);
    if (items.size() == 1 && !first.contains("case")) {
      add_row(scale, row_of(title, first));
      return {};
    }
    charts::IntervalChart chart{title, scale.title, scale.limits, {}};
    for (const Json* item : items) chart.rows.push_back(row_of(item->value("case", ""), *item));
    marks_ += items.size();
    panels_.emplace_back(std::move(chart));
    return {};
  }

  // Draws a curve for each case. A panel has at most kMostTrends curves.
  Result<void> add_trends(const std::string& title, const Scale& scale, const std::vector<const Json*>& items) {
    std::map<UnixSeconds, std::size_t> places;
    for (const Json* item : items) places.emplace(item->at("from").get<UnixSeconds>(), 0);
    std::vector<std::string> periods;
    for (auto& [from, place] : places) {
      place = periods.size();
      HEARSAY_TRY(std::string label, measures::local_text(from, answers_.value("time_zone", "UTC")));
      periods.push_back(std::move(label));
    }
    std::vector<charts::Trend> trends;
    for (const Json* item : items) {
      const std::string name = item->value("case", title);
      auto trend = std::find_if(trends.begin(), trends.end(), [&](const auto& each) { return each.name == name; });
      if (trend == trends.end()) trend = trends.insert(trends.end(), charts::Trend{name, {}});
      if (item->contains("error")) continue;
      trend->points.push_back({places.at(item->at("from").get<UnixSeconds>()), item->at("value").get<double>(),
                               interval_of(item->at("normal"))});
    }
    marks_ += items.size();
    for (std::size_t i = 0; i < trends.size(); i += charts::TrendChart::kMostTrends) {
      const std::size_t end = std::min(i + charts::TrendChart::kMostTrends, trends.size());
      charts::TrendChart chart{title, scale.title, scale.limits, periods, {}};
      chart.trends.assign(trends.begin() + static_cast<std::ptrdiff_t>(i),
                          trends.begin() + static_cast<std::ptrdiff_t>(end));
      panels_.emplace_back(std::move(chart));
    }
    return {};
  }

  Result<void> add_table(const Json& table) {
    if (table.contains("error")) return {};  // the text output shows the error
    HEARSAY_TRY(const TableCells cells, TableCells::create(table, task_.asked_schema()));
    const std::size_t count = table.at("values").size();
    marks_ += count;
    if (marks_ > kMostMarks) return {};
    if (cells.attributes().size() == 1) {
      charts::IntervalChart chart{cells.heading(0), kParts.title, kParts.limits, {}};
      for (std::size_t cell = 0; cell < count; ++cell) {
        const double value = table.at("values").at(cell).get<double>();
        const charts::Interval interval{value - cells.margin(cell), value + cells.margin(cell)};
        chart.rows.push_back({cells.values(cell).front(), value, interval, std::nullopt, ""});
      }
      panels_.emplace_back(std::move(chart));
      return {};
    }
    panels_.emplace_back(heat_map(table, cells, count));
    return {};
  }

  // The columns are the values of the last attribute. The rows are the combinations of values of all other attributes.
  charts::HeatMap heat_map(const Json& table, const TableCells& cells, std::size_t count) const {
    const std::size_t last = cells.attributes().size() - 1;
    charts::HeatMap map;
    for (std::size_t i = 0; i < last; ++i) map.row_title += (i == 0 ? "" : ", ") + cells.heading(i);
    map.column_title = cells.heading(last);
    map.title = map.row_title + " × " + map.column_title + ": share of the reporters, ± half of the normal interval";
    const std::size_t columns = task_.asked_schema()[cells.attributes()[last]].size();
    for (std::size_t cell = 0; cell < count; ++cell) {
      const std::vector<std::string> values = cells.values(cell);
      if (cell < columns) map.columns.push_back(values[last]);
      if (cell % columns == 0) {
        std::string label;
        for (std::size_t i = 0; i < last; ++i) label += (i == 0 ? "" : ", ") + values[i];
        map.rows.push_back(std::move(label));
      }
      map.values.push_back(table.at("values").at(cell).get<double>());
      map.margins.push_back(cells.margin(cell));
    }
    return map;
  }

  const Json& answers_;
  const Task& task_;
  std::vector<std::pair<Scale, charts::IntervalChart>> shared_;
  std::vector<charts::Panel> panels_;
  std::ptrdiff_t inserted_ = 0;  // how many panels of shared_ are in panels_
  std::size_t marks_ = 0;
};

}  // namespace

Result<charts::Figure> figure_of(const Json& answers, const Task& task, const std::string& range) {
  charts::Figure figure;
  figure.title = task.spec().title.empty() ? "Task " + task.id().to_string() : task.spec().title;
  const double percent = 100 * answers.at("confidence").get<double>();
  figure.subtitle = counted(answers.at("reports").get<std::uint64_t>(), "report") +
                    ", ε = " + answers.at("epsilon").get<std::string>() + ", intervals of " +
                    console::short_number(percent) + " %" +
                    (answers.contains("simultaneous") ? " that hold all at once" : "") + range;
  HEARSAY_TRY(figure.panels, Builder(answers, task).build());
  return figure;
}

}  // namespace hearsay::cli
