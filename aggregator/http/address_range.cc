#include "aggregator/http/address_range.h"

#include <algorithm>
#include <charconv>

#include "aggregator/http/address_key.h"

namespace hearsay::http {

namespace {

constexpr unsigned kMappedBits = 96;  // ::ffff:0:0/96

bool is_mapped(const AddressBytes& address) {
  return std::all_of(address.begin(), address.begin() + 10, [](unsigned char byte) { return byte == 0; }) &&
         address[10] == 0xff && address[11] == 0xff;
}

bool begin_alike(const AddressBytes& a, const AddressBytes& b, unsigned bits) {
  const std::size_t whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0;
}

bool is_zero_behind(const AddressBytes& address, unsigned bits) {
  for (unsigned bit = bits; bit < 128; ++bit) {
    if ((address[bit / 8] >> (7 - bit % 8) & 1U) != 0) return false;
  }
  return true;
}

}  // namespace

Result<AddressRange> AddressRange::parse(std::string_view text) {
  const std::string quoted = "'" + std::string(text) + "'";
  const std::size_t slash = text.find('/');
  error_code error;
  const auto address = asio::ip::make_address(std::string(text.substr(0, slash)), error);
  if (error || text.find('%') != std::string_view::npos) {
    return Error{ErrorCode::kInvalidArgument,
                 quoted + " must be an IP address or a prefix, like 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32"};
  }
  AddressRange range;
  range.text_ = text;
  range.first_ = bytes_of(address);
  const unsigned most = address.is_v4() ? 32 : 128;
  unsigned length = most;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (failed != std::errc{} || end != digits.data() + digits.size() || length > most) {
      return Error{ErrorCode::kInvalidArgument,
                   quoted + ": the prefix's length must be from 0 to " + std::to_string(most)};
    }
  }
  range.bits_ = address.is_v4() ? kMappedBits + length : length;
  if (!is_zero_behind(range.first_, range.bits_)) {
    return Error{ErrorCode::kInvalidArgument, quoted + " has bits set behind the prefix; set these bits to 0"};
  }
  return range;
}

bool AddressRange::contains(const AddressBytes& address) const {
  return is_mapped(address) == is_mapped(first_) && begin_alike(first_, address, bits_);
}

bool any_contains(const AddressRanges& ranges, const AddressBytes& address) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) { return range.contains(address); });
}

}  // namespace hearsay::http
