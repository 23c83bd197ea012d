// Computes certified bounds on e^-x, in integers only.
#pragma once

#include <compare>

#include "common/base/int128.h"
#include "common/base/rational.h"

namespace hearsay {

// lower <= e^-x·2^kFractionBits <= upper.
struct ExpMinusEnclosure {
  static constexpr unsigned kFractionBits = 126;
  Uint128 lower;
  Uint128 upper;
};

// Encloses e^-x for 0 <= x <= 64. upper - lower is at most 2^10, so e^-x is known to within 2^-116. The bounds are
// equal on all machines.
ExpMinusEnclosure enclose_exp_minus(const Rational& x);

// Compares num/den with e^x, for den > 0 and 0 <= x <= 64. `less` and `greater` are certain. Returns `unordered` if the
// two are too close for enclose_exp_minus(): then |(num/den)·e^-x - 1| is at most (num/den)·2^-116.
std::partial_ordering compare_with_exp(Uint128 num, Uint128 den, const Rational& x);

}  // namespace hearsay
