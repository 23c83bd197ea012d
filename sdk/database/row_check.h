// Computes a checksum for a row, over the row's other columns. The checksum finds bytes that changed on the disk, for
// which SQLite does not look. The checksum protects against accidents, not against a person who edits the file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hearsay::sdk {

class RowCheck {
 public:
  RowCheck& add(std::int64_t value);
  RowCheck& add(std::optional<std::int64_t> value);
  RowCheck& add(std::string_view text);
  RowCheck& add(std::span<const std::uint8_t> bytes);

  // Returns the first 8 bytes of the SHA-256 hash of all added values.
  std::int64_t value() const;

 private:
  std::vector<std::uint8_t> encoded_;
};

}  // namespace hearsay::sdk
