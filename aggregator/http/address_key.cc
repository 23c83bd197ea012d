#include "aggregator/http/address_key.h"

#include <algorithm>
#include <cstddef>

namespace hearsay::http {

namespace {

// A prefix whose addresses contain an IPv4 address, in the four bytes from `offset` on.
struct Embedding {
  std::array<unsigned char, 12> prefix;
  std::size_t prefix_size;
  std::size_t offset;
  // Each byte of the IPv4 address is XORed with `mask`.
  unsigned char mask;
};

constexpr std::array<Embedding, 4> kEmbeddings{{
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 12, 12, 0},  // RFC 4291, section 2.5.5.2
    {{0, 0x64, 0xff, 0x9b}, 12, 12, 0},                       // RFC 6052, section 2.1
    {{0x20, 0x02}, 2, 2, 0},                                  // RFC 3056, section 2
    {{0x20, 0x01, 0, 0}, 4, 12, 0xff},                        // RFC 4380, section 4
}};

}  // namespace

AddressBytes bytes_of(const asio::ip::address& address) {
  return (address.is_v4() ? asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()) : address.to_v6())
      .to_bytes();
}

AddressKey key_of(const asio::ip::address& address) {
  AddressKey key{};
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    std::copy(bytes.begin(), bytes.end(), key.begin() + 1);
    return key;
  }
  const auto bytes = address.to_v6().to_bytes();
  for (const Embedding& embedding : kEmbeddings) {
    if (!std::equal(bytes.begin(), bytes.begin() + embedding.prefix_size, embedding.prefix.begin())) continue;
    for (std::size_t i = 0; i < 4; ++i) key[1 + i] = bytes[embedding.offset + i] ^ embedding.mask;
    return key;
  }
  key[0] = 6;
  std::copy_n(bytes.begin(), 8, key.begin() + 1);
  return key;
}

}  // namespace hearsay::http
