// Tells a repeated report from another report with the same identity.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace hearsay::store {

// Returns the part of a report's encoding (common/report/format.md) that holds time and payload.
std::span<const std::uint8_t> content_of(std::span<const std::uint8_t> encoded);

// The first 16 bytes of the SHA-256 of the content.
using ReportDigest = std::array<std::uint8_t, 16>;
ReportDigest report_digest(std::span<const std::uint8_t> content);

}  // namespace hearsay::store
