// How long tests wait for an event that must happen.
#pragma once

#include <chrono>

namespace hearsay::tests {

// Even on a slow or busy machine, only a test that hangs waits this long. A test that shows that a call does not wait
// for one of the program's time limits sets that limit to twice this time.
inline constexpr std::chrono::seconds kPatience{120};

}  // namespace hearsay::tests
