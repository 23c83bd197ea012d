// What stands behind the opaque handles of the C interface.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hearsay/client.h"
#include "hearsay/clock.h"
#include "hearsay/hearsay.h"
#include "hearsay/ledger.h"
#include "hearsay/task.h"
#include "hearsay/transport.h"
#include "sdk/c_api/handle_table.h"

namespace hearsay::c_api {

struct Buffer {
  std::size_t size = 0;
  std::vector<std::uint8_t> bytes;  // `size` of them, and a zero byte
};

struct OpenLedger {
  std::unique_ptr<sdk::RollbackCounter> counter;  // outlives the ledger
  std::unique_ptr<sdk::Ledger> ledger;
};

// Every part outlives the client, which is the last one.
struct OpenClient {
  bool has_server = false;
  std::shared_ptr<OpenLedger> ledger;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<sdk::Transport> transport;
  std::optional<sdk::Client> client;
};

HandleTable<hearsay_buffer, Buffer>& buffers();
HandleTable<hearsay_task, const Task>& tasks();
HandleTable<hearsay_ledger, OpenLedger>& ledgers();
HandleTable<hearsay_client, OpenClient>& clients();

hearsay_buffer* make_buffer(std::vector<std::uint8_t> bytes);
hearsay_buffer* make_buffer(std::string_view text);

// Errors: kInvalidArgument.
template <class Handle, class Object>
Result<std::shared_ptr<Object>> find(const HandleTable<Handle, Object>& table, const Handle* handle, const char* what) {
  if (std::shared_ptr<Object> found = table.find(handle)) return found;
  const char* const fault = handle == nullptr ? " is NULL" : " is no such handle";
  return Error{ErrorCode::kInvalidArgument, std::string(what) + fault};
}

// Does nothing to what is no handle of the table.
template <class Handle, class Object>
void remove(HandleTable<Handle, Object>& table, const Handle* handle) noexcept {
  try {
    table.remove(handle);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a mutex that failed, and there is nobody to tell
  }
}

}  // namespace hearsay::c_api
