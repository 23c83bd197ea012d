#include "sdk/c_api/handles.h"

namespace hearsay::c_api {
namespace {

// Never destroyed: a thread of the host may still call while the process ends.
template <class Handle, class Object>
HandleTable<Handle, Object>& forever(std::uintptr_t kind) {
  return *new HandleTable<Handle, Object>(kind);
}

}  // namespace

HandleTable<hearsay_buffer, Buffer>& buffers() {
  static auto& table = forever<hearsay_buffer, Buffer>(0);
  return table;
}

HandleTable<hearsay_task, const Task>& tasks() {
  static auto& table = forever<hearsay_task, const Task>(1);
  return table;
}

HandleTable<hearsay_ledger, OpenLedger>& ledgers() {
  static auto& table = forever<hearsay_ledger, OpenLedger>(2);
  return table;
}

HandleTable<hearsay_client, OpenClient>& clients() {
  static auto& table = forever<hearsay_client, OpenClient>(3);
  return table;
}

hearsay_buffer* make_buffer(std::vector<std::uint8_t> bytes) {
  const std::size_t size = bytes.size();
  bytes.push_back(0);
  return buffers().add(std::make_shared<Buffer>(Buffer{size, std::move(bytes)}));
}

hearsay_buffer* make_buffer(std::string_view text) {
  return make_buffer(std::vector<std::uint8_t>(text.begin(), text.end()));
}

}  // namespace hearsay::c_api
