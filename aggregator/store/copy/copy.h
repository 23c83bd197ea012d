// Copies a store into another one of the same kind or of another kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/store/store.h"

namespace hearsay::store {

struct CopyResult {
  std::uint64_t tasks = 0;
  std::uint64_t copied_reports = 0;
  std::uint64_t present_reports = 0;  // reports that an earlier, unfinished copy brought
  std::uint64_t sealed_reports = 0;   // reports of sealed windows, which have only tallies
};

// Copies every task of `from` with its reports, its sealed windows and its state. `to` may hold other tasks. A further
// call resumes an interrupted copy, and writes only what is missing. A task that is closed in `to` at the same time as
// in `from` counts as copied; differences() checks this.
//
// Nothing else may change either store meanwhile. Memory: a batch of reports, or the tally of one window. Errors: those
// of the stores; kTaskConflict (`to` has the task with other reports, or refuses a report).
Result<CopyResult> copy(const Store& from, Store& to);

// Returns one sentence for each way in which the tasks of `from` differ in `to`: state, tallies part by part, reports.
// If the result is empty, `to` holds everything of `from`. Reads both stores. Errors: those of the stores.
Result<std::vector<std::string>> differences(const Store& from, const Store& to);

}  // namespace hearsay::store
