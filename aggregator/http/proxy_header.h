// The header by which a balancer names the client of a connection: PROXY protocol, version 2.
#pragma once

#include "aggregator/http/address_key.h"  // first: see there

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace hearsay::http {

// Collects the header's bytes, which come before all others. The reader never asks for a byte behind the header, so
// what follows stays in the socket.
//
//     while (reader.state() == ProxyHeaderReader::State::kIncomplete) read into reader.missing(), then reader.take(n)
//
// Source: https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt, section 2.2.
class ProxyHeaderReader {
 public:
  enum class State { kIncomplete, kComplete, kMalformed };
  // Longest header that is taken, with the balancer's own fields (TLVs). Addresses need 52 bytes at most.
  static constexpr std::size_t kMaxBytes = 2048;

  // Where the next bytes belong. Empty unless the header is incomplete.
  std::span<char> missing();
  // So many bytes have come, at most missing().size(). Malformed: not version 2; neither LOCAL nor PROXY; a PROXY
  // header that is not of TCP over IPv4 or IPv6; too short for its addresses, or longer than kMaxBytes. A version 1
  // header is malformed too.
  State take(std::size_t bytes);
  State state() const { return state_; }

  // Of a complete header: the client's address, or nothing if the balancer speaks for itself (LOCAL), as it does to
  // check whether the server lives.
  const std::optional<asio::ip::address>& client() const { return client_; }

 private:
  // The signature, version, command, family and length.
  static constexpr std::size_t kFixedBytes = 16;

  State judge_fixed_part();
  State read_addresses();

  std::array<unsigned char, kMaxBytes> bytes_{};
  std::size_t size_ = 0;
  std::size_t wanted_ = kFixedBytes;  // the header's bytes, as far as they are known
  State state_ = State::kIncomplete;
  std::optional<asio::ip::address> client_;
};

}  // namespace hearsay::http
