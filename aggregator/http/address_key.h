// Decides which addresses count as one client.
#pragma once

#include "aggregator/http/asio_types.h"  // first, because Asio needs <utility> before it

#include <array>
#include <boost/asio/ip/address.hpp>

#include "aggregator/http/address_range.h"

namespace hearsay::http {

// The part of an address that identifies one client: an IPv4 address, or the first half of an IPv6 address.
using AddressKey = std::array<unsigned char, 9>;

// The key for all clients that have no limit by address, because they share an address with many others.
inline constexpr AddressKey kUnlimitedAddress{0xff};

AddressBytes bytes_of(const asio::ip::address& address);

// Returns the key of an address. An IPv6 address that stands for an IPv4 address counts as that IPv4 address: mapped
// (::ffff:0:0/96, as a socket for both families shows IPv4 clients), translated (64:ff9b::/96, NAT64), 6to4 (2002::/16)
// and Teredo (2001::/32). Otherwise all IPv4 clients would share one key (mapped, NAT64, Teredo), or one client would
// have 65,536 keys (6to4).
AddressKey key_of(const asio::ip::address& address);

}  // namespace hearsay::http
