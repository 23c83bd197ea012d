#include "aggregator/api/task_registry.h"

#include "common/base/try.h"

namespace hearsay::api {

Result<std::unique_ptr<TaskRegistry>> TaskRegistry::load(store::Store& store) {
  HEARSAY_TRY(const std::vector<store::StoredTask> stored, store.tasks());
  std::unique_ptr<TaskRegistry> registry(new TaskRegistry(store));
  for (const store::StoredTask& task : stored) {
    registry->tasks_.emplace(task.task.id(), std::make_shared<const store::StoredTask>(task));
  }
  return registry;
}

Result<std::shared_ptr<const store::StoredTask>> TaskRegistry::find(const TaskId& id) const {
  const std::shared_lock lock(mutex_);
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return Error{ErrorCode::kUnrecognizedTask, "there is no task " + id.to_string()};
  return found->second;
}

std::vector<std::shared_ptr<const store::StoredTask>> TaskRegistry::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<const store::StoredTask>> tasks;
  for (const auto& [id, task] : tasks_) tasks.push_back(task);
  return tasks;
}

Result<bool> TaskRegistry::add(const Task& task) {
  const std::lock_guard one_at_a_time(administrators_);
  if (find(task.id())) return false;
  HEARSAY_CHECK_OK(store_.add_task(task));
  const std::unique_lock lock(mutex_);
  tasks_.emplace(task.id(), std::make_shared<const store::StoredTask>(store::StoredTask{task, std::nullopt}));
  ++changes_;
  return true;
}

Result<UnixSeconds> TaskRegistry::close(const TaskId& id, UnixSeconds at) {
  const std::lock_guard one_at_a_time(administrators_);
  HEARSAY_TRY(const auto stored, find(id));
  if (stored->closed_at) return *stored->closed_at;
  HEARSAY_CHECK_OK(store_.close_task(id, at));
  const std::unique_lock lock(mutex_);
  tasks_[id] = std::make_shared<const store::StoredTask>(store::StoredTask{stored->task, at});
  ++changes_;
  return at;
}

Result<void> TaskRegistry::remove(const TaskId& id) {
  const std::lock_guard one_at_a_time(administrators_);
  HEARSAY_TRY(const auto stored, find(id));
  {
    const std::unique_lock lock(mutex_);
    tasks_.erase(id);
    ++changes_;
  }
  if (const auto removed = store_.delete_task(id); !removed) {
    const std::unique_lock lock(mutex_);
    tasks_.emplace(id, stored);
    ++changes_;
    return removed.error();
  }
  return {};
}

// No call of an administrator is under way, so a task that this daemon changes is not read as it was before.
Result<void> TaskRegistry::refresh() {
  const std::lock_guard one_at_a_time(administrators_);
  HEARSAY_TRY(const std::vector<store::StoredTask> stored, store_.tasks());
  std::map<TaskId, std::shared_ptr<const store::StoredTask>> fresh;
  for (const store::StoredTask& task : stored) {
    const auto known = find(task.task.id());
    const bool same = known && (*known)->closed_at == task.closed_at;  // the id says all else
    fresh.emplace(task.task.id(), same ? *known : std::make_shared<const store::StoredTask>(task));
  }
  const std::unique_lock lock(mutex_);
  if (fresh == tasks_) return {};
  tasks_.swap(fresh);
  ++changes_;
  return {};
}

Result<std::shared_ptr<const store::StoredTask>> TaskRegistry::look_up(const TaskId& id) {
  HEARSAY_CHECK_OK(refresh());
  return find(id);
}

bool TaskRegistry::takes_look_up(std::chrono::steady_clock::time_point now) {
  auto next = next_look_up_.load();
  return now >= next && next_look_up_.compare_exchange_strong(next, now + std::chrono::seconds(1));
}

}  // namespace hearsay::api
