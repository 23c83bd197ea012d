// The one way to get time, injected so that tests are deterministic.
#pragma once

#include <chrono>
#include <cstdint>

namespace hearsay {

// Seconds since 1970-01-01T00:00:00Z.
using UnixSeconds = std::uint64_t;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual UnixSeconds now() = 0;
  // Blocks the calling thread.
  virtual void sleep(std::chrono::milliseconds duration) = 0;
};

// The machine's clock. Thread-safe.
Clock& system_clock();

}  // namespace hearsay
