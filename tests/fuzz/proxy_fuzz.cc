// Reads PROXY protocol headers. Whether the reader accepts a header must not depend on how the bytes are cut into
// pieces. The reader must ask for no byte after the header.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "aggregator/http/proxy_header.h"
#include "tests/fuzz/require.h"

namespace {

using hearsay::http::ProxyHeaderReader;
using State = ProxyHeaderReader::State;

// Returns the reader's state, the number of bytes that the reader asked for, and the client.
std::tuple<State, std::size_t, std::string> read(std::string_view input, std::size_t step) {
  ProxyHeaderReader reader;
  std::size_t used = 0;
  while (reader.state() == State::kIncomplete && used < input.size()) {
    const auto room = reader.missing();
    FUZZ_REQUIRE(!room.empty());
    const std::size_t size = std::min({room.size(), step, input.size() - used});
    std::copy_n(input.begin() + used, size, room.begin());
    used += size;
    reader.take(size);
  }
  FUZZ_REQUIRE(used <= ProxyHeaderReader::kMaxBytes);
  FUZZ_REQUIRE(!reader.client() || reader.state() == State::kComplete);
  return {reader.state(), used, reader.client() ? reader.client()->to_string() : ""};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto [state, used, client] = read(input, std::max<std::size_t>(size, 1));
  const auto [slow_state, slow_used, slow_client] = read(input, 1);
  FUZZ_REQUIRE(state == slow_state);
  FUZZ_REQUIRE(client == slow_client);
  FUZZ_REQUIRE(state == State::kMalformed || used == slow_used);
  // Bytes 14 and 15 of a header (counted from 0) hold the number of bytes that follow.
  if (state == State::kComplete) FUZZ_REQUIRE(used == 16 + (std::size_t{data[14]} << 8 | data[15]));
  return 0;
}
