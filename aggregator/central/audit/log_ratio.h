// Logarithms of likelihood ratios that can be compared with an ε with certainty.
#pragma once

#include <compare>

#include "common/audit/wide_fraction.h"
#include "common/base/rational.h"
#include "hearsay/result.h"

namespace hearsay::central {

// A fraction with a sign.
struct SignedRational {
  bool negative = false;
  Rational magnitude;
  double approximate() const { return negative ? -magnitude.approximate() : magnitude.approximate(); }
};
// Returns a - b, exactly. Errors: kOverflow if a - b is no fraction of 64-bit integers.
Result<SignedRational> difference(const Rational& a, const SignedRational& b);

// The number exact + power·ln(ratio). Both parts of the ratio must be positive.
struct LogRatio {
  SignedRational exact;
  WideFraction ratio{1, 1};
  unsigned power = 1;

  double approximate() const;
};

// Compares value with bound. `less`, `greater` and `equivalent` are certain. Rational numbers are compared exactly, and
// ratios with e^x by certified bounds (common/privacy/exponential.h). May return `unordered` in two cases: value and
// bound are within power·max(r, 1/r)·2^-115 of each other, where r is the ratio; or both are on the same side of
// value.exact, and at least 64·power away from it. Errors: kOverflow.
Result<std::partial_ordering> compare(const LogRatio& value, const Rational& bound);

}  // namespace hearsay::central
