// Time, behind an interface, so that a test can set the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

namespace hearsay {

// Seconds since 1970-01-01T00:00:00Z.
using UnixSeconds = std::uint64_t;

// Tells the time and waits. Hearsay has no other source of time: an app passes one clock to each client.
class Clock {
 public:
  virtual ~Clock() = default;

  // Returns the present time.
  virtual UnixSeconds now() = 0;

  // Blocks the calling thread for `duration`.
  virtual void sleep(std::chrono::milliseconds duration) = 0;
};

// Makes a clock that reads the machine's time. Thread-safety: any number of threads may use the clock at once.
std::unique_ptr<Clock> make_system_clock();

}  // namespace hearsay
