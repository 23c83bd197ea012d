// Divides a secret number by a public number, without a division instruction on the secret.
#pragma once

#include <cstdint>

#include "common/base/int128.h"

namespace hearsay {

struct Quotient {
  std::uint64_t quotient;
  std::uint32_t remainder;
};

// Returns value/n without a division instruction on `value`, since this instruction may take longer for some values.
// Needs value < 2^42 and n from 2 to 2^21. ⌊value·⌊(2^64-1)/n⌋/2^64⌋ is the quotient or one less.
inline Quotient divide_by_public(std::uint64_t value, std::uint32_t n) {
  const std::uint64_t reciprocal = UINT64_MAX / n;
  const auto near = static_cast<std::uint64_t>((Uint128{value} * reciprocal) >> 64U);
  const std::uint64_t rest = value - near * n;
  // Compares without a branch, as Literals::is_negative() does.
  const std::uint64_t one_more = ((std::uint64_t{n - 1} - rest) >> 32U) & 1U;
  return {near + one_more, static_cast<std::uint32_t>(rest - n * one_more)};
}

}  // namespace hearsay
