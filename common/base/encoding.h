// Text encodings of byte strings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hearsay/result.h"

namespace hearsay {

// Returns unpadded base64url (RFC 4648, section 5).
std::string base64url_encode(std::span<const std::uint8_t> bytes);
// Reads what base64url_encode() writes, and nothing else: no padding, no other characters, no non-zero trailing bits.
// Errors: kInvalidArgument.
Result<std::vector<std::uint8_t>> base64url_decode(std::string_view text);

// Returns lower-case hexadecimal.
std::string hex_encode(std::span<const std::uint8_t> bytes);

}  // namespace hearsay
