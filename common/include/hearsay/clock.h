// Time, behind an interface, so that a test can set the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "hearsay/cancellation.h"

namespace hearsay {

// Seconds since 1970-01-01T00:00:00Z.
using UnixSeconds = std::uint64_t;

// Tells the time and waits. Hearsay has no other source of time: an app passes one clock to each client.
class Clock {
 public:
  virtual ~Clock() = default;

  // Returns the present time, as the device's clock shows it.
  virtual UnixSeconds now() = 0;

  // Returns the time since a moment in the past that stays the same. Never goes back, also if somebody sets the
  // device's clock.
  virtual std::chrono::milliseconds steady() = 0;

  // Blocks the calling thread for `duration`, or until `cancellation` is requested.
  virtual void wait(std::chrono::milliseconds duration, Cancellation& cancellation) = 0;
};

// Makes a clock that reads the machine's time. Thread-safety: any number of threads may use the clock at once.
std::unique_ptr<Clock> make_system_clock();

}  // namespace hearsay
