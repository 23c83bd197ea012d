#include "aggregator/http/address_range.h"

#include <doctest/doctest.h>

#include <string>

#include "aggregator/http/address_key.h"

namespace hearsay::http {
namespace {

bool range_holds(const char* range, const char* address) {
  const auto parsed = AddressRange::parse(range);
  REQUIRE(parsed);
  CHECK(parsed->to_string() == range);
  return parsed->contains(bytes_of(asio::ip::make_address(address)));
}

TEST_CASE("a range contains the addresses that begin with the bits of its prefix") {
  CHECK(range_holds("10.0.0.0/8", "10.0.0.0"));
  CHECK(range_holds("10.0.0.0/8", "10.255.255.255"));
  CHECK_FALSE(range_holds("10.0.0.0/8", "11.0.0.0"));
  CHECK(range_holds("192.0.2.128/25", "192.0.2.128"));
  CHECK(range_holds("192.0.2.128/25", "192.0.2.255"));
  CHECK_FALSE(range_holds("192.0.2.128/25", "192.0.2.127"));
  CHECK(range_holds("192.0.2.7", "192.0.2.7"));
  CHECK_FALSE(range_holds("192.0.2.7", "192.0.2.6"));
  CHECK(range_holds("2001:db8::/33", "2001:db8:7fff::1"));
  CHECK_FALSE(range_holds("2001:db8::/33", "2001:db8:8000::1"));
  CHECK(range_holds("::1", "::1"));
  CHECK_FALSE(range_holds("::1", "::2"));
}

TEST_CASE("a range is of one address family, and an IPv4 address counts as IPv4 on a socket for both families") {
  CHECK(range_holds("0.0.0.0/0", "203.0.113.9"));
  CHECK(range_holds("10.0.0.0/8", "::ffff:10.1.2.3"));
  CHECK(range_holds("::ffff:10.0.0.0/104", "10.1.2.3"));
  CHECK_FALSE(range_holds("0.0.0.0/0", "2001:db8::1"));
  CHECK(range_holds("::/0", "2001:db8::1"));
  CHECK_FALSE(range_holds("::/0", "10.1.2.3"));
}

TEST_CASE("a text that is not a range is refused, and the error shows the text") {
  for (const char* text : {"", "/8", "localhost", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8 ", "10.0.0/8",
                           "10.0.0.0/8/8", "10.0.0.1/8", "192.0.2.129/25", "2001:db8::/129", "2001:db8::1/32",
                           "fe80::1%1", "[::1]", "10.0.0.0/99999999999"}) {
    CAPTURE(text);
    const auto parsed = AddressRange::parse(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::kInvalidArgument);
    CHECK(parsed.error().message.find("'" + std::string(text) + "'") != std::string::npos);
  }
}

}  // namespace
}  // namespace hearsay::http
