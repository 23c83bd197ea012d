// Keeps the store's tasks in memory, because every upload needs its task.
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

// Holds the tasks of the store. Thread-safe.
//
// Several daemons may share a store. Each daemon has a registry of its own, which learns of other daemons' changes at
// the next refresh(). The registry only saves reads of the store: Store::append() decides whether a task takes a
// report.
class TaskRegistry {
 public:
  // `store` must outlive the registry.
  static Result<std::unique_ptr<TaskRegistry>> load(store::Store& store);

  // Returns the task. Errors: kUnrecognizedTask.
  Result<std::shared_ptr<const store::StoredTask>> find(const TaskId& id) const;
  std::vector<std::shared_ptr<const store::StoredTask>> all() const;

  // Returns a number that grows with every change of the registry. While the number stays the same, find() returns the
  // same tasks.
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // Adds a task to the store. Returns false if this registry knew the task already.
  Result<bool> add(const Task& task);
  // Closes a task. Returns the time from which the task is closed: `at`, or the time of an earlier call.
  Result<UnixSeconds> close(const TaskId& id, UnixSeconds at);
  Result<void> remove(const TaskId& id);

  // Reads the store's tasks again. May wait for the store. Errors: those of Store::tasks(). After an error the registry
  // is unchanged.
  Result<void> refresh();
  // Calls refresh(), and then find(). Errors: those of refresh() and find().
  Result<std::shared_ptr<const store::StoredTask>> look_up(const TaskId& id);
  // Returns true at most once a second. The caller may then look_up() a task that find() does not know. So uploads
  // with made-up task ids cannot make the daemon read the store more often.
  bool takes_look_up(std::chrono::steady_clock::time_point now);

 private:
  explicit TaskRegistry(store::Store& store) : store_(store) {}
  Result<void> read_again();  // needs administrators_

  store::Store& store_;
  std::mutex administrators_;  // held while an administrator's call runs
  mutable std::shared_mutex mutex_;
  std::map<TaskId, std::shared_ptr<const store::StoredTask>> tasks_;
  std::atomic<std::uint64_t> changes_ = 0;
  std::atomic<std::chrono::steady_clock::time_point> next_look_up_{std::chrono::steady_clock::time_point::min()};
};

}  // namespace hearsay::api
