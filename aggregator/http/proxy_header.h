// Reads the header with which a balancer names the client of a connection (PROXY protocol, version 2).
#pragma once

#include "aggregator/http/address_key.h"  // first, because Asio needs <utility> before it

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace hearsay::http {

// Collects the bytes of the header. Does not ask for bytes behind the header, so later bytes stay in the socket.
//
//     while (reader.state() == ProxyHeaderReader::State::kIncomplete) read into reader.missing(), then reader.take(n)
//
// Source: https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt, section 2.2.
class ProxyHeaderReader {
 public:
  enum class State { kIncomplete, kComplete, kMalformed };
  // The longest header that is accepted, including the balancer's own fields (TLVs). A header with addresses alone has
  // at most 52 bytes.
  static constexpr std::size_t kMaxBytes = 2048;

  // Returns the memory into which the next bytes must be read; empty unless the header is incomplete.
  std::span<char> missing();
  // Call this after `bytes` bytes, at most missing().size(), were read. Accepts version 2 of the header, for LOCAL, and
  // for PROXY with TCP over IPv4 or IPv6. Any other header is malformed, and so is a header that is too short for its
  // addresses or longer than kMaxBytes.
  State take(std::size_t bytes);
  State state() const { return state_; }

  // Returns the client's address from a complete header. Returns nothing for a connection of the balancer itself
  // (LOCAL), which checks whether the server lives.
  const std::optional<asio::ip::address>& client() const { return client_; }

 private:
  // The signature, version, command, family and length.
  static constexpr std::size_t kFixedBytes = 16;

  State judge_fixed_part();
  State read_addresses();

  std::array<unsigned char, kMaxBytes> bytes_{};
  std::size_t size_ = 0;
  // The length of the header, as far as it is known.
  std::size_t wanted_ = kFixedBytes;
  State state_ = State::kIncomplete;
  std::optional<asio::ip::address> client_;
};

}  // namespace hearsay::http
