// What becomes of each report of a batch where its window or task is near a bound, or refuses reports.
#include <algorithm>

#include "aggregator/store/postgres/append.h"
#include "common/base/try.h"

namespace hearsay::store::postgres {
namespace {

constexpr Statement kOpenWindows{"open_windows",
                                 "SELECT count(DISTINCT w.window_start) FROM hearsay.windows w "
                                 "JOIN hearsay.tasks t ON t.number = w.task "
                                 "WHERE w.task = $1::int4 AND w.window_start >= t.sealed_before"};

}  // namespace

Result<std::uint64_t> PostgresStore::Append::open_windows(Connection& connection, const KnownTask& task) const {
  HEARSAY_TRY(const Rows count, connection.run(kOpenWindows, Parameters().int4(task.number)));
  return static_cast<std::uint64_t>(count.int8(0, 0));
}

Result<void> PostgresStore::Append::decide(Connection& connection) {
  for (Entry& entry : entries_) entry.refusal = windows_[entry.window].refusal;
  HEARSAY_CHECK_OK(look_up(connection));
  std::map<std::int32_t, std::uint64_t> open;  // windows, by task
  for (const Window& window : windows_) {
    if (!window.opens || window.refusal || open.contains(window.task->number)) continue;
    HEARSAY_TRY(open[window.task->number], open_windows(connection, *window.task));
  }
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    if (!entry_of_[i]) continue;
    Entry& entry = entries_[*entry_of_[i]];
    if (entry.first != i || entry.refusal || entry.stored) continue;
    Window& window = windows_[entry.window];
    if (window.reports >= store_.max_window_reports_) {
      entry.refusal = AppendOutcome::kWindowFull;
      continue;
    }
    if (window.opens) {
      std::uint64_t& windows = open[window.task->number];
      if (windows >= store_.options_.max_task_windows) {
        entry.refusal = AppendOutcome::kTooManyWindows;
        continue;
      }
      ++windows;
      window.opens = false;
    }
    ++window.reports;
  }
  return {};
}

}  // namespace hearsay::store::postgres
