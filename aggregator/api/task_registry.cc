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
  const bool known = static_cast<bool>(find(task.id()));
  // A known task is added again: another daemon may have deleted the task, or no standby has confirmed the task yet.
  HEARSAY_CHECK_OK(store_.add_task(task));
  if (known) {
    HEARSAY_CHECK_OK(read_again());
    return false;
  }
  const std::unique_lock lock(mutex_);
  tasks_.emplace(task.id(), std::make_shared<const store::StoredTask>(store::StoredTask{task, std::nullopt}));
  ++changes_;
  return true;
}

Result<UnixSeconds> TaskRegistry::close(const TaskId& id, UnixSeconds at) {
  const std::lock_guard one_at_a_time(administrators_);
  HEARSAY_CHECK_OK(store_.close_task(id, at));
  HEARSAY_CHECK_OK(read_again());  // if another daemon closed the task first, the store keeps the time of that call
  HEARSAY_TRY(const auto stored, find(id));
  return stored->closed_at.value_or(at);
}

Result<void> TaskRegistry::remove(const TaskId& id) {
  const std::lock_guard one_at_a_time(administrators_);
  std::shared_ptr<const store::StoredTask> stored;
  {
    const std::unique_lock lock(mutex_);
    auto node = tasks_.extract(id);
    if (!node.empty()) stored = std::move(node.mapped());
    ++changes_;
  }
  auto removed = store_.delete_task(id);
  if (!removed && stored && removed.error().code != ErrorCode::kUnrecognizedTask) {
    const std::unique_lock lock(mutex_);
    tasks_.emplace(id, stored);
    ++changes_;
  }
  return removed;
}

// Waits until no administrator's call runs. Otherwise the refresh could bring back the old state of a task that such a
// call is changing.
Result<void> TaskRegistry::refresh() {
  const std::lock_guard one_at_a_time(administrators_);
  return read_again();
}

Result<void> TaskRegistry::read_again() {
  HEARSAY_TRY(const std::vector<store::StoredTask> stored, store_.tasks());
  std::map<TaskId, std::shared_ptr<const store::StoredTask>> fresh;
  for (const store::StoredTask& task : stored) {
    const auto known = find(task.task.id());
    const bool same = known && (*known)->closed_at == task.closed_at;  // the id is a hash of everything else
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
