// Short ways to write valid numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "common/base/rational.h"
#include "hearsay/epsilon.h"

namespace hearsay::tests {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline Epsilon eps(const std::string& text) { return Epsilon::parse(text).value(); }
inline Rational ratio(std::uint64_t num, std::uint64_t den = 1) { return Rational::create(num, den).value(); }

}  // namespace hearsay::tests
