// Uploads reports in the background, at times that say little about when the reports were made.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "hearsay/client.h"
#include "hearsay/result.h"

namespace hearsay::sdk {

// A random delay, drawn anew for each flush from the system's random bits, to the nanosecond. A `span` above ten years
// counts as ten years.
struct RandomDelay {
  enum class Law : std::uint8_t {
    kNone,         // no delay
    kUniform,      // every time from 0 to `span` is equally likely
    kExponential,  // exponential with mean `span`; at most 20 times `span`
  };
  Law law = Law::kNone;
  std::chrono::milliseconds span{0};
};

struct BackgroundFlushOptions {
  std::chrono::milliseconds deadline{30'000};  // deadline of each flush; at least 0
  // If a flush leaves reports, the next flush comes after this time and a random delay; at least 0.
  std::chrono::milliseconds retry_after{900'000};
  RandomDelay delay{};  // delay from wake() to the flush; its span is at least 0

  // The thread of the background flush calls `outcome` after each flush with the flush's result. The thread ignores
  // exceptions of the function. The function must not destroy the BackgroundFlush.
  std::function<void(const Result<FlushSummary>&)> outcome{};
};

// Flushes one client on a thread of its own, after the start and after each wake(). If reports still wait, flushes
// again after `retry_after` and a random delay.
//
// Somebody who watches the network sees when a flush happens. Without a delay, this is the moment at which the app
// called wake(), and so the moment at which the person acted. A random delay blurs this moment: see sdk/README.md.
//
// Thread-safety: any number of threads may call wake() and stop() at once.
// In a child process made by fork(), wake() and stop() do nothing.
class BackgroundFlush {
 public:
  // Starts the thread. The client must outlive the background flush and must not be moved meanwhile.
  // Errors: kInvalidArgument (a negative time), kInternal (the system cannot start a thread).
  static Result<std::unique_ptr<BackgroundFlush>> start(Client& client, BackgroundFlushOptions options);

  ~BackgroundFlush();  // calls stop()
  BackgroundFlush(const BackgroundFlush&) = delete;
  BackgroundFlush& operator=(const BackgroundFlush&) = delete;

  // Asks for a flush after the random delay, and returns at once. Call wake() after each Client::submit(), whatever
  // submit() returned, and when the network is back. If the flush of an earlier wake() has not begun, wake() does
  // nothing.
  void wake();

  // Ends a flush under way and the thread. Returns soon, but not before `outcome` has returned. Later calls of wake()
  // do nothing.
  void stop();

 private:
  struct State;
  explicit BackgroundFlush(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::sdk
