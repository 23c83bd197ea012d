// How long tests wait for an event that must happen.
#pragma once

#include <chrono>

namespace hearsay::tests {

// Even on a slow machine, only a test that hangs waits this long. Some tests show that a call does not wait for a time
// limit of the program. These tests set the program's limit to twice kPatience.
inline constexpr std::chrono::seconds kPatience{120};

}  // namespace hearsay::tests
