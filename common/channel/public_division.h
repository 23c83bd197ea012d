// Division of a secret number by a public one.
#pragma once

#include <cstdint>

namespace hearsay {

struct Quotient {
  std::uint32_t quotient;
  std::uint32_t remainder;
};

// value/n without dividing `value`: a division instruction may take longer for some values. value < 2^30, n from 2 to
// 2^16. The product with ⌊2^32/n⌋ gives the quotient or one less.
inline Quotient divide_by_public(std::uint32_t value, std::uint32_t n) {
  const std::uint64_t reciprocal = (std::uint64_t{1} << 32U) / n;
  const auto near = static_cast<std::uint32_t>((value * reciprocal) >> 32U);
  const std::uint32_t rest = value - near * n;
  // As in Literals::is_negative(), a comparison without a branch.
  const auto one_more = static_cast<std::uint32_t>(((std::uint64_t{n - 1} - rest) >> 32U) & 1U);
  return {near + one_more, rest - n * one_more};
}

}  // namespace hearsay
