// Addresses that an operator names: one, or all that begin alike.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::http {

// An IPv6 address, or an IPv4 address in its mapped form ::ffff:a.b.c.d.
using AddressBytes = std::array<unsigned char, 16>;

// A prefix of one family. A range of IPv6 addresses holds no IPv4 address, whichever socket showed the address.
class AddressRange {
 public:
  // "10.0.0.0/8", "192.0.2.7", "2001:db8::/32" or "::1". Errors: kInvalidArgument (the message quotes the text), also
  // for bits behind the prefix.
  static Result<AddressRange> parse(std::string_view text);

  bool contains(const AddressBytes& address) const;
  // As parse() reads it.
  const std::string& to_string() const { return text_; }

 private:
  AddressRange() = default;

  std::string text_;
  AddressBytes first_{};
  unsigned bits_ = 0;  // of first_ that count, of 128
};

using AddressRanges = std::vector<AddressRange>;

// Returns true if one of the ranges holds the address.
bool any_contains(const AddressRanges& ranges, const AddressBytes& address);

}  // namespace hearsay::http
