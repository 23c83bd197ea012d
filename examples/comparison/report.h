// Turns the comparison's result into tables, JSON and charts.
#pragma once

#include <string>
#include <vector>

#include "aggregator/charts/line_chart.h"
#include "common/base/json.h"
#include "examples/comparison/comparison.h"

namespace hearsay::examples {

struct Comparison {
  std::string population;  // name of the source of the people
  std::uint64_t seed = 0;
  Plan plan;
  std::vector<Mechanism> mechanisms;
  std::vector<Score> scores;                  // one for each mechanism
  std::vector<LimitRatio> limit_ratios = {};  // one for each mechanism; empty if not computed
};

// Returns the limit_ratio() of each mechanism that answers all questions, and an unknown ratio for the others.
std::vector<LimitRatio> limit_ratios_of(const std::vector<Mechanism>& mechanisms);

using Rows = std::vector<std::vector<std::string>>;  // rows of a table, the header first

// Makes a table with a row for each mechanism. If `exact`, the numbers are not rounded.
Rows summary(const Comparison& comparison, bool exact);
// Makes a table of root mean square errors, with a row for each mechanism and a column for each query. A query without
// an answer shows the reason.
Rows errors_by_query(const Setting& setting, const Comparison& comparison);
Json to_json(const Setting& setting, const Comparison& comparison);

// The sizes along a chart's axis: numbers of users, or of an attribute's values.
struct Sizes {
  std::string title;             // of the axis
  std::vector<double> numbers;   // the sizes, ascending
  std::vector<Comparison> each;  // one for each size; the same mechanism has the same name in all
};
// Draws the error of each mechanism at each size. `subtitle`: a line about what all sizes have in common.
charts::LineChart error_chart(const Sizes& sizes, const std::string& subtitle);

}  // namespace hearsay::examples
