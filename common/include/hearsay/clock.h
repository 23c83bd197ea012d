// The time, behind an interface, so that a test can set the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "hearsay/cancellation.h"

namespace hearsay {

// Seconds since 1970-01-01T00:00:00Z.
using UnixSeconds = std::uint64_t;

// Tells the time and waits.
class Clock {
 public:
  virtual ~Clock() = default;

  // Returns the present time in seconds, as the device's clock shows it.
  virtual UnixSeconds now() = 0;

  // Returns the time since a fixed moment in the past. Must not go back, even if somebody sets the device's clock.
  virtual std::chrono::milliseconds steady() = 0;

  // Blocks the calling thread for `duration`. Returns earlier once another thread has called cancellation.request().
  virtual void wait(std::chrono::milliseconds duration, Cancellation& cancellation) = 0;
};

// Makes a clock that reads the machine's time. Thread-safety: any number of threads may use the clock at once.
std::unique_ptr<Clock> make_system_clock();

}  // namespace hearsay
