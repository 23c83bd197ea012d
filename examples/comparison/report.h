// The comparison's result for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "examples/comparison/comparison.h"
#include "examples/comparison/svg_chart.h"

namespace hearsay::examples {

struct Comparison {
  std::string population;  // where it comes from
  std::uint64_t seed = 0;
  Plan plan;
  std::vector<Mechanism> mechanisms;
  std::vector<Score> scores;  // per mechanism
};

using Rows = std::vector<std::vector<std::string>>;  // rows of a table, the header first

// A row per mechanism. `exact` for programs: numbers in full instead of rounded.
Rows summary(const Comparison& comparison, bool exact);
// The root mean square error of each query, a row per query and a column per mechanism, the reason where there is none.
Rows errors_by_query(const Setting& setting, const Comparison& comparison);
Json to_json(const Setting& setting, const Comparison& comparison);

// The comparison at several numbers of users, ascending, each with the same mechanisms.
Chart error_chart(const Setting& setting, const std::vector<Comparison>& sizes);

}  // namespace hearsay::examples
