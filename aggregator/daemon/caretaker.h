// Looks after the running daemon once a second: says in the log what changed, and lets expired windows go.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "aggregator/daemon/log.h"
#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay::daemon {

// What the caretaker watches. Counts only go up.
struct CaretakerSources {
  std::function<std::optional<std::string>()> store_failure;  // why the store takes nothing more, if it does not
  std::function<std::uint64_t()> overloads;                   // requests refused for overload
  std::function<std::uint64_t()> exhaustions;                 // connections that found no descriptor
  std::function<Result<std::uint64_t>(UnixSeconds)> expire;   // returns how many reports are forgotten
};

// Events: store_failed once; overload_begins and, after 10 quiet seconds, overload_ends; descriptors_exhausted at most
// once a minute; clock_jumped; expired, expiry_failed. One thread at a time.
//
// Expiry cannot be undone, and a clock that jumps ahead for a moment must not cause it: it runs only after the wall
// clock has gone along with the monotonic one, within a minute, for a whole interval.
class Caretaker {
 public:
  using Monotonic = std::chrono::steady_clock::time_point;

  // `log` must outlive the object.
  Caretaker(Log& log, CaretakerSources sources, std::chrono::seconds expiry_interval, UnixSeconds wall,
            Monotonic monotonic);

  void tick(UnixSeconds wall, Monotonic monotonic);

 private:
  void watch_store();
  void watch_overload(Monotonic monotonic);
  void watch_descriptors(Monotonic monotonic);
  void watch_clock(UnixSeconds wall, Monotonic monotonic);
  void expire_if_due(UnixSeconds wall, Monotonic monotonic);

  Log& log_;
  const CaretakerSources sources_;
  const std::chrono::seconds expiry_interval_;
  UnixSeconds last_wall_;
  Monotonic last_monotonic_;
  Monotonic even_since_;  // since then the clock has not jumped and no expiry has run

  bool store_failed_ = false;
  std::uint64_t overloads_;
  std::optional<Monotonic> overloaded_at_;  // when last seen
  std::uint64_t overloads_before_ = 0;      // the count when the present overload began
  std::uint64_t exhaustions_;
  std::optional<Monotonic> exhaustion_told_;
};

}  // namespace hearsay::daemon
