// The objects that the C interface has given out, by handle.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace hearsay::c_api {

// Keeps the objects of one kind. A handle is a number, dressed as a pointer to the opaque type `Handle`: no handle is
// ever followed, and a number is never given out again. So whatever a caller passes is found or is not.
//
// Thread-safety: any number of threads may use a table at once. An object lives as long as one of them has found it.
template <class Handle, class Object>
class HandleTable {
 public:
  // `kind`, below kKinds, differs between the tables, so that a handle of one is none of another.
  explicit HandleTable(std::uintptr_t kind) : next_(kKinds + kind) {}

  Handle* add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t number = next_;
    objects_.emplace(number, std::move(object));
    next_ += kKinds;
    return reinterpret_cast<Handle*>(number);
  }

  // Nothing if `handle` is none of this table.
  std::shared_ptr<Object> find(const Handle* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  void remove(const Handle* handle) {
    std::shared_ptr<Object> last;  // dies after the lock is released
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
