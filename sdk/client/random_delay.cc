#include "sdk/client/random_delay.h"

#include <algorithm>
#include <cmath>

#include "common/privacy/samplers.h"

namespace hearsay::sdk {

std::chrono::nanoseconds draw_delay(const RandomDelay& delay, BitSource& bits) {
  constexpr std::chrono::milliseconds kLongestSpan = std::chrono::hours(10 * 365 * 24);  // 20 spans fit into 63 bits
  const std::int64_t span =
      std::chrono::nanoseconds(std::clamp(delay.span, std::chrono::milliseconds(0), kLongestSpan)).count();
  switch (delay.law) {
    case RandomDelay::Law::kNone:
      break;
    case RandomDelay::Law::kUniform:
      return std::chrono::nanoseconds(uniform_below(bits, static_cast<std::uint64_t>(span) + 1));
    case RandomDelay::Law::kExponential: {
      // The delay protects no record, so floating point is good enough here.
      constexpr double kSteps = 9'007'199'254'740'992.0;  // 2^53
      constexpr double kLongest = 20;
      const double uniform = (static_cast<double>(bits.bits(53)) + 1) / kSteps;
      const double spans = std::min(-std::log(uniform), kLongest);
      return std::chrono::nanoseconds(static_cast<std::int64_t>(spans * static_cast<double>(span)));
    }
  }
  return std::chrono::nanoseconds(0);
}

}  // namespace hearsay::sdk
