// How long tests wait for what must happen.
#pragma once

#include <chrono>

namespace hearsay::tests {

// Only a hang takes so long, however slow or busy the machine is. A test that something does not wait for a limit of
// the program sets that limit to twice as much.
inline constexpr std::chrono::seconds kPatience{120};

}  // namespace hearsay::tests
