#include "sdk/c_api/task_handles.h"

namespace hearsay::c_api {

HandleTable<hearsay_buffer, Buffer>& buffers() {
  static auto& table = table_for_ever<hearsay_buffer, Buffer>(0);
  return table;
}

HandleTable<hearsay_task, const Task>& tasks() {
  static auto& table = table_for_ever<hearsay_task, const Task>(1);
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
