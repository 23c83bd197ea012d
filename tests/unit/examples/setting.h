// A setting for the tests of the comparisons.
#pragma once

#include <string>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

inline Setting setting_for(const Schema& schema, const std::vector<std::string>& texts) {
  Setting setting{schema, Epsilon::parse("1").value(), {}, {}};
  for (const std::string& text : texts) setting.queries.push_back(Query::parse(schema, text).value());
  setting.workload = setting.queries;
  return setting;
}

}  // namespace hearsay::examples
