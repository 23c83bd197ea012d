#include "aggregator/store/rocks/status.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "common/base/encoding.h"
#include "common/base/utf8.h"

namespace hearsay::store::rocks {
namespace {

// Shows control characters and bytes that are not UTF-8 as \xNN. A damaged file may bring any bytes into the text.
std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto code_point = next_code_point(text, at);
    at = std::max(at, begin + 1);
    const std::string_view bytes = text.substr(begin, at - begin);
    if (code_point && !is_control(*code_point)) {
      shown += bytes;
      continue;
    }
    for (const char byte : bytes) {
      const auto value = static_cast<std::uint8_t>(byte);
      shown += "\\x" + hex_encode({&value, 1});
    }
  }
  return shown;
}

}  // namespace

Error to_error(const rocksdb::Status& status) {
  return status.IsCorruption() ? corrupt(status.ToString()) : failed(status.ToString());
}

Result<void> to_result(const rocksdb::Status& status) {
  if (!status.ok()) return to_error(status);
  return {};
}

Error corrupt(const std::string& message) { return {ErrorCode::kStoreCorrupt, "store: " + printable(message)}; }

Error failed(const std::string& message) { return {ErrorCode::kStoreFailed, "store: " + printable(message)}; }

}  // namespace hearsay::store::rocks
