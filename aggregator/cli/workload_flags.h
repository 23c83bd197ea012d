// The options for the workload: the queries that a task must answer.
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
  // Returns the workload: a list of queries, a class of queries, or a mixture if several are given. Errors:
  // kInvalidArgument (nothing is given; a number is larger than the number of attributes; a weight for a part that is
  // not given), those of console::collect_queries() and console::parse_queries().
  Result<planner::Workload> resolve(const Schema& schema) const;
  // Returns arguments that give the same workload.
  std::vector<std::string> words() const;
};

}  // namespace hearsay::cli
