// A rehearsal: made-up people report under a task, and the answers meet the truth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/cli/remote.h"
#include "aggregator/measures/answer.h"
#include "aggregator/measures/measure.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::cli {

// One row of a measure, in one window or over all.
struct RehearsedRow {
  std::string measure;
  std::string name;                   // of the measure; may be empty
  std::string about;                  // which value; may be empty
  std::optional<std::size_t> window;  // from 1; none: all of them
};

struct RehearsedAnswer {
  RehearsedRow row;
  double truth;
  Result<measures::Answer> answer;
};

struct RehearsalPlan {
  TaskSpec spec;  // of the task; each run makes one of its own, see for_rehearsal()
  std::vector<measures::NamedMeasure> measures;
  double confidence = 0.95;
};

// The people of one run, by window.
using Windows = std::vector<std::vector<Record>>;

// The two functions below let the people report, and return the rows of all windows together, then, if there are
// several, of each. Every record is randomized as on a device, with the system's randomness. Errors: those of
// measures::parse() (the message names the measure), randomize() and call().

// Without an aggregator: reports are tallied and answered here.
Result<std::vector<RehearsedAnswer>> rehearse_here(const RehearsalPlan& plan, const Windows& people);

// On a running aggregator, with an administrator's token: creates a task, uploads, closes the task and asks.
Result<std::vector<RehearsedAnswer>> rehearse_there(const Server& server, const RehearsalPlan& plan,
                                                    const Windows& people);

}  // namespace hearsay::cli
