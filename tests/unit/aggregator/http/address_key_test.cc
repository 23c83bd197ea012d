#include "aggregator/http/address_key.h"

#include <doctest/doctest.h>

#include <vector>

namespace hearsay::http {
namespace {

AddressKey key(const char* text) { return key_of(asio::ip::make_address(text)); }

TEST_CASE("for the limits by address, an IPv6 address that embeds an IPv4 address counts as the IPv4 address") {
  const AddressKey expected = key("192.0.2.33");
  for (const char* same : {"::ffff:192.0.2.33", "64:ff9b::192.0.2.33", "2002:c000:221::1", "2002:c000:221:ffff::7",
                           "2001:0:4136:e378:8000:63bf:3fff:fdde"}) {
    CAPTURE(same);
    CHECK(key(same) == expected);
  }
  for (const char* other : {"192.0.2.34", "::ffff:192.0.2.34", "64:ff9b::192.0.2.34", "2002:c000:222::1",
                            "2001:0:4136:e378:8000:63bf:3fff:fddd"}) {
    CAPTURE(other);
    CHECK(key(other) != expected);
  }
}

TEST_CASE("for the limits by address, any other IPv6 address counts by its first half") {
  const std::vector<const char*> halves{"2001:db8::1",      "2001:db8:0:1::1", "::1",     "fe80::1",    "64:ff9b:1::1",
                                        "64:ff9b:0:0:1::1", "2001:1::1",       "2003::1", "::2:0:0:0:1"};
  for (std::size_t i = 0; i < halves.size(); ++i) {
    CAPTURE(halves[i]);
    CHECK(key(halves[i])[0] == 6);
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(halves[j]);
      CHECK(key(halves[i]) != key(halves[j]));
    }
  }
  CHECK(key("2001:db8::1") == key("2001:db8::ffff:1:2:3"));
  CHECK(key("fe80::1%1") == key("fe80::2"));
}

}  // namespace
}  // namespace hearsay::http
