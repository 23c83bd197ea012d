// The handles of buffers and tasks, which need no ledger and no network.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/error.h"
#include "hearsay/hearsay.h"
#include "hearsay/result.h"
#include "hearsay/task.h"
#include "sdk/c_api/handle_table.h"

namespace hearsay::c_api {

struct Buffer {
  std::size_t size = 0;
  std::vector<std::uint8_t> bytes;  // the bytes, and a zero byte behind them
};

HandleTable<hearsay_buffer, Buffer>& buffers();
HandleTable<hearsay_task, const Task>& tasks();

hearsay_buffer* make_buffer(std::vector<std::uint8_t> bytes);
hearsay_buffer* make_buffer(std::string_view text);

// Makes a table that is never destroyed, since a thread of the host may call the library while the process ends.
template <class Handle, class Object>
HandleTable<Handle, Object>& table_for_ever(std::uintptr_t kind) {
  return *new HandleTable<Handle, Object>(kind);
}

// Returns the object of the handle. Errors: kInvalidArgument; the message names the caller's argument `what`.
template <class Handle, class Object>
Result<std::shared_ptr<Object>> find(const HandleTable<Handle, Object>& table, const Handle* handle, const char* what) {
  if (std::shared_ptr<Object> found = table.find(handle)) return found;
  const char* const fault = handle == nullptr ? " is NULL" : " is no such handle";
  return Error{ErrorCode::kInvalidArgument, std::string(what) + fault};
}

// Removes the object of the handle from the table. Does nothing if the table has no object with this handle.
template <class Handle, class Object>
void remove(HandleTable<Handle, Object>& table, const Handle* handle) noexcept {
  try {
    table.remove(handle);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the mutex failed, and this function cannot return an error
  }
}

}  // namespace hearsay::c_api
