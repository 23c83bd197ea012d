// Looks after the running daemon once a second: says in the log what changed, and lets expired windows go.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aggregator/daemon/clock_watch.h"
#include "aggregator/daemon/log.h"
#include "aggregator/store/store.h"
#include "hearsay/clock.h"
#include "hearsay/result.h"

namespace hearsay::daemon {

// What the caretaker watches. Counts only go up.
struct CaretakerSources {
  std::function<std::optional<Error>()> store_failure;           // why the store takes nothing more, if it does not
  std::function<std::uint64_t()> overloads;                      // requests refused for overload
  std::function<std::uint64_t()> exhaustions;                    // connections that found no descriptor
  std::function<store::Expiry(UnixSeconds)> expire;              // see store::Store
  std::function<std::uint64_t(UnixSeconds)> sealed_ahead;        // see store::Store
  std::function<void(UnixSeconds)> note_clock;                   // for the next start
  std::function<bool()> tasks_changed;                           // see store::Store; none if nobody else changes tasks
  std::function<void()> refresh_tasks;                           // reads the store's tasks again
  std::function<std::vector<store::DatabaseState>()> databases;  // see store::StoreStatistics
};

// Events: store_failed and, for a database that can be reached again, store_recovered; database_failed and
// database_recovered of each database of the store; overload_begins and, after 10
// quiet seconds, overload_ends; descriptors_exhausted at most once a minute; clock_jumped, clock_in_doubt,
// clock_trusted; windows_sealed_ahead; expired, expiry_failed. One thread at a time.
//
// Expiry cannot be undone: nothing expires while the clock is in doubt. Once a minute the time of a clock that is
// trusted is noted.
//
// The tasks are read again when another process may have changed them, and every five seconds where one could have.
class Caretaker {
 public:
  using Monotonic = ClockWatch::Monotonic;

  // `log` and `clock` must outlive the object.
  Caretaker(Log& log, ClockWatch& clock, CaretakerSources sources, std::chrono::seconds expiry_interval,
            Monotonic monotonic);

  void tick(UnixSeconds wall, Monotonic monotonic);

  // The part of tick() that must not be missed: says that the store failed, unless that is said already.
  void watch_store();

 private:
  void watch_databases();
  void watch_tasks(Monotonic monotonic);
  void watch_overload(Monotonic monotonic);
  void watch_descriptors(Monotonic monotonic);
  void watch_clock(UnixSeconds wall, Monotonic monotonic);
  void watch_sealed(UnixSeconds wall);
  void note_clock_if_due(UnixSeconds wall, Monotonic monotonic);
  void expire_if_due(UnixSeconds wall, Monotonic monotonic);

  Log& log_;
  ClockWatch& clock_;
  const CaretakerSources sources_;
  const std::chrono::seconds expiry_interval_;
  Monotonic expired_at_;  // when expiry last ran, or the start
  bool clock_in_doubt_ = false;
  std::optional<Monotonic> clock_noted_;
  bool sealed_ahead_ = false;

  bool store_failed_ = false;
  std::set<std::string> databases_failed_;
  std::optional<Monotonic> tasks_read_;
  std::uint64_t overloads_;
  std::optional<Monotonic> overloaded_at_;  // when last seen
  std::uint64_t overloads_before_ = 0;      // the count when the present overload began
  std::uint64_t exhaustions_;
  std::optional<Monotonic> exhaustion_told_;
};

}  // namespace hearsay::daemon
