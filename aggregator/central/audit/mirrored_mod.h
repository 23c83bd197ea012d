// A query that separates differential from distributional privacy.
#pragma once

#include <cstdint>

namespace hearsay::central {

// F_m(x) rises like x mod m in even blocks of m numbers, and falls in odd blocks: 0, 1, ..., m-1, m-1, ..., 1, 0, 0, 1,
// .... F_m(x) and F_m(x+1) differ by at most 1. So F_m of the number of ones in a database, with noise of scale 1/α, is
// α-differentially private under replace-one. But for two databases drawn independently from one population, the two
// values of F_m are often far apart. m >= 1. Blum, Ligett, Roth 2008, Definition 7.2.
constexpr std::uint64_t mirrored_mod(std::uint64_t x, std::uint64_t m) {
  const std::uint64_t rest = x % m;
  return x / m % 2 == 0 ? rest : m - 1 - rest;
}

}  // namespace hearsay::central
