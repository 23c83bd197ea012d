// The options that say which queries are to be answered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace CLI {
class App;
}

namespace hearsay::cli {

struct WorkloadFlags {
  std::vector<std::string> queries;
  std::string query_file;
  std::uint32_t conjunctions = 0;
  std::uint32_t functions = 0;
  std::uint32_t boxes = 0;
  bool ranges = false;
  bool prefixes = false;
  bool means = false;
  std::vector<std::string> weights;  // "ranges=2"

  void add_to(CLI::App& command);
  // Returns the list of queries, the class, or a mixture of everything that is given. Errors: kInvalidArgument (nothing
  // is given; a number is larger than the schema's number of attributes; a weight is for something that is not given),
  // those of console::collect_queries() and console::parse_queries().
  Result<planner::Workload> resolve(const Schema& schema) const;
  // Returns arguments that mean the same workload.
  std::vector<std::string> words() const;
};

}  // namespace hearsay::cli
