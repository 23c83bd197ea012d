// The options for the accuracy of the answers, or for the number of people who report.
#pragma once

#include <cstdint>

#include "aggregator/planner/plan.h"
#include "hearsay/result.h"

namespace CLI {
class App;
}

namespace hearsay::cli {

struct AccuracyFlags {
  planner::Target target{0.01, 0.05};
  bool alpha_given = false;
  std::uint64_t users = 0;       // 0: not given
  std::uint64_t per_window = 0;  // 0: not given

  // Adds --alpha, --beta, --users and --users-per-window.
  void add_to(CLI::App& command);
  // Errors: kInvalidArgument for options that contradict each other.
  Result<void> check() const;
  // Returns true if the number of people is given. Then the command computes the errors to expect.
  bool of_users() const { return users > 0 || per_window > 0; }
  std::uint64_t people() const { return users > 0 ? users : per_window; }
};

}  // namespace hearsay::cli
