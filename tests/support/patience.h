// How long tests wait for an event that must happen.
#pragma once

#include <chrono>

namespace hearsay::tests {

// Only a hang takes this long, however slow or busy the machine is. If a test shows that something does not wait for a
// limit of the program, it sets this limit to twice this time.
inline constexpr std::chrono::seconds kPatience{120};

}  // namespace hearsay::tests
