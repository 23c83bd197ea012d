// The comparison's result for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "aggregator/charts/line_chart.h"
#include "common/base/json.h"
#include "examples/comparison/comparison.h"

namespace hearsay::examples {

struct Comparison {
  std::string population;  // where it comes from
  std::uint64_t seed = 0;
  Plan plan;
  std::vector<Mechanism> mechanisms;
  std::vector<Score> scores;                  // per mechanism
  std::vector<LimitRatio> limit_ratios = {};  // per mechanism; empty if not asked for
};

// limit_ratio() of each mechanism that answers all questions.
std::vector<LimitRatio> limit_ratios_of(const std::vector<Mechanism>& mechanisms);

using Rows = std::vector<std::vector<std::string>>;  // rows of a table, the header first

// A row per mechanism. `exact` for programs: numbers in full instead of rounded.
Rows summary(const Comparison& comparison, bool exact);
// The root mean square error of each query, a row per query and a column per mechanism, the reason where there is none.
Rows errors_by_query(const Setting& setting, const Comparison& comparison);
Json to_json(const Setting& setting, const Comparison& comparison);

// What a chart goes through: numbers of users, or of an attribute's values.
struct Sizes {
  std::string title;             // of the axis
  std::vector<double> numbers;   // ascending
  std::vector<Comparison> each;  // per number; mechanisms are known by their names
};
// `subtitle`: what all sizes have in common.
charts::LineChart error_chart(const Sizes& sizes, const std::string& subtitle);

}  // namespace hearsay::examples
