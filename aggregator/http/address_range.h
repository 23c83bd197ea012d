// Addresses as an operator names them: one address, or a prefix.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::http {

// An IPv6 address, or an IPv4 address in its mapped form ::ffff:a.b.c.d.
using AddressBytes = std::array<unsigned char, 16>;

// A prefix of IPv4 or of IPv6 addresses. A range of IPv6 addresses holds no IPv4 address, not even in its mapped form.
class AddressRange {
 public:
  // Parses a text such as "10.0.0.0/8", "192.0.2.7", "2001:db8::/32" or "::1". Errors: kInvalidArgument (also if bits
  // behind the prefix are set). The message quotes the text.
  static Result<AddressRange> parse(std::string_view text);

  bool contains(const AddressBytes& address) const;
  // Returns the text that parse() read.
  const std::string& to_string() const { return text_; }

 private:
  AddressRange() = default;

  std::string text_;
  AddressBytes first_{};
  // The length of the prefix in the 128 bits of first_.
  unsigned bits_ = 0;
};

using AddressRanges = std::vector<AddressRange>;

// Returns true if one of the ranges holds the address.
bool any_contains(const AddressRanges& ranges, const AddressBytes& address);

}  // namespace hearsay::http
