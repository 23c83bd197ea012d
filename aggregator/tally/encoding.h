// Constants of the byte formats of both kinds of tally. See format.md.
#pragma once

#include <cstdint>

#include "hearsay/error.h"

namespace hearsay::tally {

// The first byte of an encoded tally.
inline constexpr std::uint8_t kKindLaplace = 1;
inline constexpr std::uint8_t kKindSampled = 2;

inline Error corrupt(const char* what) { return {ErrorCode::kStoreCorrupt, what}; }

}  // namespace hearsay::tally
