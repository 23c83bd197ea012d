// Splits a batch over the databases, and changes tasks in each of them.
#include <map>

#include "aggregator/store/spread/spread_store.h"
#include "common/base/try.h"

namespace hearsay::store::spread {
Result<void> SpreadStore::append(std::span<const Submission> submissions, std::span<AppendOutcome> outcomes) {
  if (submissions.size() != outcomes.size()) {
    return Error{ErrorCode::kInvalidArgument, "store: there must be one outcome for each submission"};
  }
  // Checks the whole batch before any report is stored. If each database checked only its own reports, one might refuse
  // its part after others have stored theirs.
  for (const Submission& submission : submissions) {
    HEARSAY_CHECK_OK(submission.task->channel().check(submission.report.payload));
  }
  const std::lock_guard lock(append_mutex_);
  const auto entries = map_.entries();
  std::map<std::string_view, std::vector<std::size_t>> numbers;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    const UnixSeconds window = submissions[i].task->window_of(submissions[i].report.time);
    numbers[server_of(entry_of(*entries, window), submissions[i].report.id)].push_back(i);
    outcomes[i] = AppendOutcome::kUnavailable;
  }
  const auto begun = Lane::Steady::now();
  std::vector<std::pair<Lane*, std::shared_ptr<Share>>> started;
  for (const auto& lane : lanes_) {
    const auto of_lane = numbers.find(lane->server());
    if (of_lane == numbers.end()) continue;
    auto share = std::make_shared<Share>(submissions, std::move(of_lane->second));
    if (lane->start(share)) started.emplace_back(lane.get(), std::move(share));
  }
  for (const auto& [lane, share] : started) {
    if (!lane->wait(*share, begun)) continue;
    for (std::size_t i = 0; i < share->numbers().size(); ++i) outcomes[share->numbers()[i]] = share->outcomes[i];
  }
  return {};
}

Result<void> SpreadStore::change_tasks(const std::function<Result<void>(Store&)>& change) {
  const auto head_lock = head().member().keeper->lock();
  if (!head_lock) return head().member().named(head_lock.error());
  const auto row = head().member().keeper->update([](MapRow&, UnixSeconds) { return Result<void>(); });
  if (!row) return head().member().named(row.error());
  std::vector<MapEntry> entries = row->entries;
  if (row->proposed) entries.push_back(*row->proposed);
  for (const std::string& server : servers_of(entries)) {
    if (find_lane(server) != nullptr) continue;
    return Error{ErrorCode::kStoreFailed, "the map names the database " + server +
                                              ", which this configuration lacks; add the database and start again"};
  }
  for (const auto& lane : lanes_) {
    if (lane.get() == &head()) continue;
    if (const auto changed = change(*lane->member().store); !changed) return lane->member().named(changed.error());
  }
  const auto changed = change(*head().member().store);
  return changed ? changed : head().member().named(changed.error());
}

Result<void> SpreadStore::add_task(const Task& task) {
  return change_tasks([&](Store& store) { return store.add_task(task); });
}

Result<void> SpreadStore::close_task(const TaskId& id, UnixSeconds time) {
  return change_tasks([&](Store& store) { return store.close_task(id, time); });
}

Result<void> SpreadStore::delete_task(const TaskId& id) {
  return change_tasks([&](Store& store) -> Result<void> {
    const auto deleted = store.delete_task(id);
    // An earlier call may have deleted the task here.
    const bool gone = !deleted && deleted.error().code == ErrorCode::kUnrecognizedTask;
    return gone && &store != head().member().store.get() ? Result<void>() : deleted;
  });
}

Result<void> SpreadStore::import_seal(const Task& task, UnixSeconds before) {
  return change_tasks([&](Store& store) { return store.import_seal(task, before); });
}

// A window's tally is the sum over all databases. So a sealed window's whole tally may lie in a single database.
Result<void> SpreadStore::import_tally(const Task& task, UnixSeconds window, const tally::Tally& tally) {
  const auto imported = head().member().store->import_tally(task, window, tally);
  return imported ? imported : head().member().named(imported.error());
}

Result<std::vector<StoredTask>> SpreadStore::tasks() const {
  auto tasks = head().member().store->tasks();
  return tasks ? std::move(tasks) : head().member().named(tasks.error());
}

}  // namespace hearsay::store::spread
