#include "aggregator/http/proxy_header.h"

#include <algorithm>

namespace hearsay::http {

namespace {

constexpr std::array<unsigned char, 12> kSignature{0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d,
                                                   0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};
constexpr unsigned char kVersion2Local = 0x20;
constexpr unsigned char kVersion2Proxy = 0x21;
constexpr unsigned char kTcpOverIpv4 = 0x11;
constexpr unsigned char kTcpOverIpv6 = 0x21;
// Bytes of the two addresses and two ports: source and destination.
constexpr std::size_t kIpv4Bytes = 2 * 4 + 2 * 2;
constexpr std::size_t kIpv6Bytes = 2 * 16 + 2 * 2;

}  // namespace

std::span<char> ProxyHeaderReader::missing() {
  if (state_ != State::kIncomplete) return {};
  return {reinterpret_cast<char*>(bytes_.data()) + size_, wanted_ - size_};
}

ProxyHeaderReader::State ProxyHeaderReader::take(std::size_t bytes) {
  size_ += bytes;
  // Wrong first bytes show that the other end is no balancer, so the reader does not wait for more bytes.
  if (!std::equal(bytes_.begin(), bytes_.begin() + std::min(size_, kSignature.size()), kSignature.begin())) {
    return state_ = State::kMalformed;
  }
  if (size_ == kFixedBytes && wanted_ == kFixedBytes) state_ = judge_fixed_part();
  if (state_ == State::kIncomplete && size_ == wanted_) state_ = read_addresses();
  return state_;
}

ProxyHeaderReader::State ProxyHeaderReader::judge_fixed_part() {
  const std::size_t length = std::size_t{bytes_[14]} << 8 | bytes_[15];
  const unsigned char command = bytes_[12];
  const unsigned char family = bytes_[13];
  if (command != kVersion2Local && command != kVersion2Proxy) return State::kMalformed;
  if (kFixedBytes + length > kMaxBytes) return State::kMalformed;
  if (command == kVersion2Proxy) {
    if (family != kTcpOverIpv4 && family != kTcpOverIpv6) return State::kMalformed;
    if (length < (family == kTcpOverIpv4 ? kIpv4Bytes : kIpv6Bytes)) return State::kMalformed;
  }
  wanted_ += length;
  return State::kIncomplete;
}

ProxyHeaderReader::State ProxyHeaderReader::read_addresses() {
  if (bytes_[12] == kVersion2Local) return State::kComplete;
  const auto* const source = bytes_.begin() + kFixedBytes;
  if (bytes_[13] == kTcpOverIpv4) {
    asio::ip::address_v4::bytes_type v4;
    std::copy_n(source, v4.size(), v4.begin());
    client_ = asio::ip::address_v4(v4);
  } else {
    asio::ip::address_v6::bytes_type v6;
    std::copy_n(source, v6.size(), v6.begin());
    client_ = asio::ip::address_v6(v6);
  }
  return State::kComplete;
}

}  // namespace hearsay::http
