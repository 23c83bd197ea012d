#include "sdk/database/row_check.h"

#include "common/random/hash.h"

namespace hearsay::sdk {

RowCheck& RowCheck::add(std::int64_t value) {
  for (int shift = 0; shift < 64; shift += 8) {
    encoded_.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> shift));
  }
  return *this;
}

RowCheck& RowCheck::add(std::optional<std::int64_t> value) {
  add(std::int64_t{value.has_value()});
  return add(value.value_or(0));
}

RowCheck& RowCheck::add(std::string_view text) {
  return add(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));  // NOLINT
}

RowCheck& RowCheck::add(std::span<const std::uint8_t> bytes) {
  add(static_cast<std::int64_t>(bytes.size()));
  encoded_.insert(encoded_.end(), bytes.begin(), bytes.end());
  return *this;
}

std::int64_t RowCheck::value() const {
  const auto digest = sha256().digest(encoded_);
  std::uint64_t value = 0;
  for (int byte = 0; byte < 8; ++byte) value = value << 8 | digest[static_cast<std::size_t>(byte)];
  return static_cast<std::int64_t>(value);
}

}  // namespace hearsay::sdk
