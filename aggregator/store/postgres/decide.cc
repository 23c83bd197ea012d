// Decides about each report of a batch. Append::attempt() calls decide() if a window is new, or if a window or a task
// is near a bound or refuses reports.
#include <algorithm>
#include <utility>

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

bool PostgresStore::Append::must_look_up_pairs(const Window& window) const {
  return must_look_up(store_.options_.max_window_pairs, window.task->parts.pairs(), window.pairs,
                      window.to - window.from);
}

Result<std::optional<NewPairs>> PostgresStore::Append::look_up_pairs(Connection& connection,
                                                                     const Window& window) const {
  if (!must_look_up_pairs(window)) return std::optional<NewPairs>();
  const std::uint64_t most = store_.options_.max_window_pairs;
  const std::uint64_t room = most - std::min(most, window.pairs);
  if (room == 0) return std::optional(NewPairs({}, 0));
  std::vector<Pair> pairs;
  for (std::size_t e = window.from; e < window.to; ++e) {
    // An invalid payload needs no pair here, since add_all() will refuse the whole batch.
    const auto& payload = submissions_[entries_[e].first].report.payload;
    if (const auto pair = pair_of(window.task->task.channel(), payload)) pairs.push_back(*pair);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  HEARSAY_TRY(std::vector<Pair> fresh, store_.new_pairs(connection, *window.task, window.start, pairs));
  return std::optional(NewPairs(std::move(fresh), room));
}

Result<void> PostgresStore::Append::decide(Connection& connection) {
  for (Entry& entry : entries_) entry.refusal = windows_[entry.window].refusal;
  HEARSAY_CHECK_OK(look_up(connection));
  std::map<std::int32_t, std::uint64_t> open;  // by the task's number: how many windows are not sealed
  for (Window& window : windows_) {
    if (window.refusal) continue;
    HEARSAY_TRY(window.new_pairs, look_up_pairs(connection, window));
    if (!window.opens || open.contains(window.task->number)) continue;
    HEARSAY_TRY(open[window.task->number], open_windows(connection, *window.task));
  }
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    if (!entry_of_[i]) continue;
    Entry& entry = entries_[*entry_of_[i]];
    if (entry.first != i || entry.refusal || entry.stored) continue;
    Window& window = windows_[entry.window];
    entry.refusal = refusal_of_new(window, open[window.task->number]);
    if (entry.refusal) continue;
    if (std::exchange(window.opens, false)) ++open[window.task->number];
    ++window.reports;
    if (!window.new_pairs) continue;
    const auto pair = pair_of(window.task->task.channel(), submissions_[i].report.payload);
    if (pair) window.new_pairs->count(*pair);
  }
  return {};
}

std::optional<AppendOutcome> PostgresStore::Append::refusal_of_new(const Window& window, std::uint64_t open) const {
  if (window.reports >= store_.max_window_reports_) return AppendOutcome::kWindowFull;
  if (window.new_pairs && window.new_pairs->full()) return AppendOutcome::kTooManyPairs;
  if (window.opens && open >= store_.options_.max_task_windows) return AppendOutcome::kTooManyWindows;
  return std::nullopt;
}

}  // namespace hearsay::store::postgres
