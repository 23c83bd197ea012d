// Uploads the waiting reports to one task.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>

#include "common/random/bit_source.h"
#include "hearsay/cancellation.h"
#include "hearsay/client.h"
#include "hearsay/options.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::sdk {

// The most reports and the most bytes of one request. A single report may have more bytes.
inline constexpr std::size_t kMaxReportsPerRequest = 64;
inline constexpr std::size_t kMaxBytesPerRequest = 256U << 10U;

inline constexpr std::size_t kEveryReport = 1U << 30U;  // more reports than any outbox holds

// Sends reports. Between flushes, remembers the server's Retry-After, when the last minute's uploads began, and the end
// of the task.
//
// Thread-safety: flush() from one thread at a time; the other functions from any thread.
class Uploader {
 public:
  // The objects that `dependencies` refers to must outlive the uploader.
  Uploader(const ClientDependencies& dependencies, const RetryPolicy& policy, const TaskId& task)
      : dependencies_(dependencies), policy_(policy), task_(task) {}

  // Uploads the waiting reports, as Client::flush() says. `bits` is the source of the random part of waits. Throws
  // EntropyError.
  Result<FlushSummary> flush(std::chrono::milliseconds deadline, Cancellation& cancellation, BitSource& bits);

  // Makes the next flush ask the server for the time, even if no report waits.
  void ask_for_time();

  // Returns the reason if the aggregator has told a flush that it takes no more reports to the task.
  std::optional<Error> closed() const;

 private:
  friend class Flush;

  const ClientDependencies dependencies_;
  const RetryPolicy policy_;
  const TaskId task_;

  // Only flush() uses the next two members, which hold times of Clock::steady(). The server asked for no request before
  // `not_before_`. `begun_` has the start of each upload in the last minute.
  std::chrono::milliseconds not_before_{std::chrono::milliseconds::min()};
  std::deque<std::chrono::milliseconds> begun_;

  mutable std::mutex mutex_;
  bool time_wanted_ = false;
  std::optional<Error> closed_;
};

}  // namespace hearsay::sdk
