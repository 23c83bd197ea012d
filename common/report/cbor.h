// The heads of CBOR data items (RFC 8949, section 3) in their shortest form, and no other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hearsay::cbor {

enum class MajorType : std::uint8_t { kUnsigned = 0, kBytes = 2, kArray = 4 };

void append_head(MajorType type, std::uint64_t value, std::vector<std::uint8_t>& out);

// Reads a head of the given type from the front of `rest` and removes its bytes. Nothing, and `rest` unchanged, where
// the bytes are no such head: too few, another type, an indefinite length, or longer than need be.
std::optional<std::uint64_t> read_head(MajorType type, std::span<const std::uint8_t>& rest);

}  // namespace hearsay::cbor
