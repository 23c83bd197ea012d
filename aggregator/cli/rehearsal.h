// A rehearsal: people with known records report under a task, so that the answers can be compared with the truth.
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

// One row of a measure, in one window or over all windows.
struct RehearsedRow {
  std::string measure;
  std::string name;                   // the measure's name; may be empty
  std::string about;                  // the value that the row is about; may be empty
  std::optional<std::size_t> window;  // from 1; empty: all windows together
};

struct RehearsedAnswer {
  RehearsedRow row;
  double truth;
  Result<measures::Answer> answer;
};

struct RehearsalPlan {
  TaskSpec spec;  // each run makes its own task from this spec, see for_rehearsal()
  std::vector<measures::NamedMeasure> measures;
  double confidence = 0.95;
};

// The people of one run: a list for each window.
using Windows = std::vector<std::vector<Record>>;

// Each of the two functions below lets all people report, and randomizes every record as a device does, with the
// system's randomness. Each function returns the rows for all windows together. If there are several windows, the rows
// for each window follow. Errors: those of measures::parse() (the message names the measure), randomize() and call().

// Rehearses without an aggregator: this process adds the reports up and computes the answers.
Result<std::vector<RehearsedAnswer>> rehearse_here(const RehearsalPlan& plan, const Windows& people);

// Rehearses on a running aggregator, with an administrator's token: creates a task, uploads the reports, closes the
// task and asks for the answers.
Result<std::vector<RehearsedAnswer>> rehearse_there(const Server& server, const RehearsalPlan& plan,
                                                    const Windows& people);

}  // namespace hearsay::cli
