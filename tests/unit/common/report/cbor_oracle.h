// Reads CBOR with nlohmann's library, which shares no code with the report codec.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "common/report/report.h"

namespace hearsay::tests {

inline std::vector<std::uint8_t> oracle_encode(const Report& report) {
  using nlohmann::json;
  const auto bytes = [](const auto& from) { return json::binary({from.begin(), from.end()}); };
  const json array = json::array({1U, bytes(report.id.bytes), report.time, bytes(report.payload)});
  return json::to_cbor(array);
}

// Returns the report that nlohmann's library reads. Returns nothing if the bytes do not have a report's shape.
inline std::optional<Report> oracle_decode(std::span<const std::uint8_t> bytes) {
  using nlohmann::json;
  const json array = json::from_cbor(bytes.begin(), bytes.end(), true, false);
  if (!array.is_array() || array.size() != 4 || array[0] != 1 || !array[1].is_binary() ||
      array[1].get_binary().size() != 16 || !array[2].is_number_unsigned() || !array[3].is_binary()) {
    return std::nullopt;
  }
  Report report{.id = {}, .time = array[2].get<std::uint64_t>(), .payload = array[3].get_binary()};
  std::copy_n(array[1].get_binary().begin(), 16, report.id.bytes.begin());
  return report;
}

}  // namespace hearsay::tests
