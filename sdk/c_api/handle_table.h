// Finds the objects of the C interface by their handles.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace hearsay::c_api {

// Keeps the objects of one kind. A handle is a number, cast to a pointer to the opaque type `Handle`. No code uses a
// handle as an address, and a table gives out each number once. So the table finds the object of a valid handle, and
// nothing for any other pointer.
//
// Thread-safety: any number of threads may use a table at once. An object that was removed from the table lives until
// the last thread that uses the object is done.
template <class Handle, class Object>
class HandleTable {
 public:
  // Each table needs a `kind` (below kKinds) of its own, so that no table accepts a handle of another table.
  explicit HandleTable(std::uintptr_t kind) : next_(kKinds + kind) {}

  Handle* add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t number = next_;
    objects_.emplace(number, std::move(object));
    next_ += kKinds;
    return reinterpret_cast<Handle*>(number);
  }

  // Returns null if the table has no object with this handle.
  std::shared_ptr<Object> find(const Handle* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  void remove(const Handle* handle) {
    std::shared_ptr<Object> last;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == objects_.end()) return;
    last = std::move(found->second);
    objects_.erase(found);
  }

 private:
  static constexpr std::uintptr_t kKinds = 8;

  mutable std::mutex mutex_;
  std::uintptr_t next_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace hearsay::c_api
