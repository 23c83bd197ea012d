// How long tests wait for what must happen.
#pragma once

#include <chrono>

namespace hearsay::tests {

// Only a hang takes this long, however slow or busy the machine is. A test of something that must not wait for one of
// the program's limits sets that limit to twice this time.
inline constexpr std::chrono::seconds kPatience{120};

}  // namespace hearsay::tests
