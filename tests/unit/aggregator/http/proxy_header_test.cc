#include "aggregator/http/proxy_header.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/aggregator/http/proxy_bytes.h"

namespace hearsay::http {
namespace {

using HeaderState = ProxyHeaderReader::State;

struct HeaderOutcome {
  HeaderState state;
  std::size_t used;  // the number of bytes that the reader asked for
  std::string client;
};

// Gives the reader at most `step` bytes at a time.
HeaderOutcome read_header(std::string_view bytes, std::size_t step) {
  ProxyHeaderReader reader;
  std::size_t used = 0;
  while (reader.state() == HeaderState::kIncomplete && used < bytes.size()) {
    const auto room = reader.missing();
    REQUIRE(!room.empty());
    const std::size_t size = std::min({room.size(), step, bytes.size() - used});
    std::copy_n(bytes.begin() + used, size, room.begin());
    used += size;
    reader.take(size);
  }
  if (reader.state() != HeaderState::kIncomplete) CHECK(reader.missing().empty());
  return {reader.state(), used, reader.client() ? reader.client()->to_string() : ""};
}

void check_header(std::string_view header, HeaderState state, const std::string& client = "") {
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, header.size() + 9}) {
    CAPTURE(step);
    const HeaderOutcome outcome = read_header(std::string(header) + "GET / HTT", step);
    CHECK(outcome.state == state);
    CHECK(outcome.client == client);
    if (state == HeaderState::kComplete) CHECK(outcome.used == header.size());
  }
}

TEST_CASE("a header names its client, and the reader asks for no byte after the header") {
  check_header(proxy_header_of(9), HeaderState::kComplete, "203.0.113.9");
  const std::string v6 = std::string("\x20\x01\x0d\xb8", 4) + std::string(11, '\0') + '\x07' + std::string(20, '\x01');
  check_header(proxy_header(0x21, 0x21, v6), HeaderState::kComplete, "2001:db8::7");
}

TEST_CASE("further fields of the balancer are skipped") {
  check_header(proxy_header_of(9, std::string("\x04\x00\x03PAD", 6)), HeaderState::kComplete, "203.0.113.9");
  const std::size_t most = ProxyHeaderReader::kMaxBytes - proxy_header_of(9).size();
  check_header(proxy_header_of(9, std::string(most, 'x')), HeaderState::kComplete, "203.0.113.9");
  check_header(proxy_header_of(9, std::string(most + 1, 'x')), HeaderState::kMalformed);
}

TEST_CASE("a header for the balancer's own connection names no client, whatever addresses the header has") {
  check_header(local_proxy_header(), HeaderState::kComplete);
  check_header(proxy_header(0x20, 0x11, std::string(12, '\x01')), HeaderState::kComplete);
  check_header(proxy_header(0x20, 0x31, std::string(216, '\x01')), HeaderState::kComplete);
}

TEST_CASE("PROXY headers in any other form are malformed") {
  check_header("PROXY TCP4 203.0.113.9 192.0.2.1 4660 443\r\n", HeaderState::kMalformed);  // version 1 of the protocol
  check_header(proxy_header(0x11, 0x11, std::string(12, '\0')), HeaderState::kMalformed);
  check_header(proxy_header(0x31, 0x11, std::string(12, '\0')), HeaderState::kMalformed);
  check_header(proxy_header(0x22, 0x11, std::string(12, '\0')), HeaderState::kMalformed);
  check_header(proxy_header(0x21, 0x00, std::string(12, '\0')), HeaderState::kMalformed);   // no address family
  check_header(proxy_header(0x21, 0x12, std::string(12, '\0')), HeaderState::kMalformed);   // UDP
  check_header(proxy_header(0x21, 0x31, std::string(216, '\0')), HeaderState::kMalformed);  // a Unix socket
  check_header(proxy_header(0x21, 0x11, std::string(11, '\0')), HeaderState::kMalformed);
  check_header(proxy_header(0x21, 0x21, std::string(35, '\0')), HeaderState::kMalformed);
}

TEST_CASE("a byte that no header has at its place is refused before the next byte arrives") {
  CHECK(read_header("G", 1).state == HeaderState::kMalformed);
  for (std::size_t i = 0; i < kProxySignature.size(); ++i) {
    std::string bytes(kProxySignature.substr(0, i + 1));
    CHECK(read_header(bytes, 1).state == HeaderState::kIncomplete);
    bytes.back() ^= 1;
    CHECK(read_header(bytes, 1).state == HeaderState::kMalformed);
  }
}

TEST_CASE("a header that is cut off stays incomplete") {
  const std::string header = proxy_header_of(9, "xyz");
  for (std::size_t size = 0; size < header.size(); ++size) {
    const HeaderOutcome outcome = read_header(header.substr(0, size), 5);
    CHECK(outcome.state == HeaderState::kIncomplete);
    CHECK(outcome.client.empty());
  }
}

}  // namespace
}  // namespace hearsay::http
