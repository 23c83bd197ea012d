// Copies a store into another store of any kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/store/store.h"

namespace hearsay::store {

struct CopyResult {
  std::uint64_t tasks = 0;
  std::uint64_t copied_reports = 0;
  std::uint64_t present_reports = 0;  // reports that `to` already had
  std::uint64_t sealed_reports = 0;   // reports of sealed windows, which have only tallies
};

// Copies every task of `from` to `to`, with its reports, its sealed windows and its state. `to` may hold other tasks. A
// further call resumes an interrupted copy, and writes only what is missing. A task that has the same closing time in
// both stores counts as copied; differences() compares such tasks, too.
//
// Nothing else may change either store meanwhile. Memory: a batch of reports, or the tally of one window. Errors: those
// of the stores; kTaskConflict (`to` has the task with other reports, or refuses a report).
Result<CopyResult> copy(const Store& from, Store& to);

// Compares the tasks of `from` with the same tasks in `to`: their states, the parts of their tallies, and their
// reports. Returns one sentence for each difference. If the result is empty, `to` holds everything of `from`. Reads
// both stores. Errors: those of the stores.
Result<std::vector<std::string>> differences(const Store& from, const Store& to);

}  // namespace hearsay::store
