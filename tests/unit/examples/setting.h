// The question that the tests of the comparisons ask.
#pragma once

#include <string>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// The queries at ε = 1; the mechanisms that plan are planned for these queries.
inline Setting setting_for(const Schema& schema, const std::vector<std::string>& texts) {
  Setting setting{schema, Epsilon::parse("1").value(), {}, {}};
  for (const std::string& text : texts) setting.queries.push_back(Query::parse(schema, text).value());
  setting.workload = setting.queries;
  return setting;
}

}  // namespace hearsay::examples
