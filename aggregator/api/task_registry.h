// The daemon's view of its tasks: read for every upload, changed by an administrator.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "aggregator/store/store.h"

namespace hearsay::api {

// What the store holds, kept in memory. Changes go to the store first. Thread-safe.
//
// Several daemons may share a store. Each keeps a registry of its own, which knows the others' changes from the next
// refresh() on. The registry only spares a look into the store: whether a task takes a report is for
// Store::append() to say.
class TaskRegistry {
 public:
  // `store` must outlive the registry.
  static Result<std::unique_ptr<TaskRegistry>> load(store::Store& store);

  // Errors: kUnrecognizedTask.
  Result<std::shared_ptr<const store::StoredTask>> find(const TaskId& id) const;
  std::vector<std::shared_ptr<const store::StoredTask>> all() const;

  // Grows with every change. While it stays the same, what find() returned is up to date.
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // False if the same task existed already.
  Result<bool> add(const Task& task);
  // The time from which the task is closed: `at`, or that of an earlier call.
  Result<UnixSeconds> close(const TaskId& id, UnixSeconds at);
  Result<void> remove(const TaskId& id);

  // Reads the store's tasks again. May wait for the store. Errors: as Store::tasks(); the registry then stays as it is.
  Result<void> refresh();
  // As find(), after a refresh(). Errors: also as refresh().
  Result<std::shared_ptr<const store::StoredTask>> look_up(const TaskId& id);
  // Returns true for the first caller within a second, who may look_up() a task that find() does not know. Whoever
  // makes task ids up cannot have the store read more often.
  bool takes_look_up(std::chrono::steady_clock::time_point now);

 private:
  explicit TaskRegistry(store::Store& store) : store_(store) {}
  Result<void> read_again();  // needs administrators_

  store::Store& store_;
  std::mutex administrators_;  // one at a time
  mutable std::shared_mutex mutex_;
  std::map<TaskId, std::shared_ptr<const store::StoredTask>> tasks_;
  std::atomic<std::uint64_t> changes_ = 0;
  std::atomic<std::chrono::steady_clock::time_point> next_look_up_{std::chrono::steady_clock::time_point::min()};
};

}  // namespace hearsay::api
