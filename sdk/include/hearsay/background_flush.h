// Uploads reports in the background, at times that say little about when they were made.
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
    kUniform,      // from 0 to `span`, each time equally likely
    kExponential,  // of mean `span`; longer than 20 times `span` never
  };
  Law law = Law::kNone;
  std::chrono::milliseconds span{0};
};

struct BackgroundFlushOptions {
  std::chrono::milliseconds deadline{30'000};      // of each flush
  std::chrono::milliseconds retry_after{900'000};  // from a flush that left reports to the next one
  RandomDelay delay{};                             // from wake() to the flush

  // Called after each flush with its result, on the thread of the background flush. Exceptions of the function are
  // ignored. The function must not destroy the BackgroundFlush.
  std::function<void(const Result<FlushSummary>&)> outcome{};
};

// Flushes one client on a thread of its own: once after the start, after each wake(), and again while reports wait.
//
// Who watches the network sees when a flush happens. Without a delay this is when the app called wake(), so when the
// person did what made the app report. A random delay blurs that time: see sdk/README.md.
//
// Thread-safety: any number of threads may call wake() and stop() at once.
// A child process made by fork() has no such thread: there wake() and stop() do nothing.
class BackgroundFlush {
 public:
  // Starts the thread. The client must outlive the background flush and must not be moved meanwhile.
  // Errors: kInvalidArgument (a negative time), kInternal (the system cannot start a thread).
  static Result<std::unique_ptr<BackgroundFlush>> start(Client& client, BackgroundFlushOptions options);

  ~BackgroundFlush();  // stops
  BackgroundFlush(const BackgroundFlush&) = delete;
  BackgroundFlush& operator=(const BackgroundFlush&) = delete;

  // Asks for a flush, after the random delay. Call wake() after each Client::submit(), whatever submit() returned, and
  // when the network is back. Returns at once. If an earlier call's flush is still due, that flush stays when it is.
  void wake();

  // Ends a flush under way and the thread. Returns within 50 ms, but not before `outcome` has returned. Later calls of
  // wake() do nothing.
  void stop();

 private:
  struct State;
  explicit BackgroundFlush(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::sdk
