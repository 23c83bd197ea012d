// Watches the running daemon once a second: logs what changed, and seals expired windows.
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

// What the caretaker watches. The counts `overloads` and `exhaustions` only grow.
struct CaretakerSources {
  std::function<std::optional<Error>()> store_failure;  // why the store takes no reports; unset if the store works
  std::function<std::uint64_t()> overloads;             // requests refused for overload
  std::function<std::uint64_t()> exhaustions;           // connections that failed for lack of a descriptor or of memory
  std::function<store::Expiry(UnixSeconds)> expire;     // see store::Store
  std::function<std::uint64_t(UnixSeconds)> sealed_ahead;  // see store::Store
  std::function<void(UnixSeconds)> note_clock;             // see store::Store
  std::function<bool()> tasks_changed;                     // see store::Store; empty if no other process changes tasks
  std::function<void()> refresh_tasks;                     // reads the store's tasks again
  std::function<std::vector<store::DatabaseState>()> databases;  // see store::StoreStatistics
};

// Logs these events:
// - store_failed, store_recovered; for each database of the store: database_failed, database_recovered
// - overload_begins; overload_ends after 10 seconds without a refusal
// - descriptors_exhausted, at most once a minute
// - clock_jumped, clock_in_doubt, clock_trusted
// - windows_sealed_ahead, expired, expiry_failed
//
// Thread-safety: one thread at a time.
//
// Sealing cannot be undone, so the caretaker seals nothing while the clock is in doubt. Once a minute, if the clock is
// trusted, the caretaker stores the time.
//
// With a shared store, tick() reads the tasks again if another process may have changed the tasks, and at the latest
// after five seconds.
class Caretaker {
 public:
  using Monotonic = ClockWatch::Monotonic;

  // `log` and `clock` must outlive the object.
  Caretaker(Log& log, ClockWatch& clock, CaretakerSources sources, std::chrono::seconds expiry_interval,
            Monotonic monotonic);

  void tick(UnixSeconds wall, Monotonic monotonic);

  // Logs that the store has failed or works again, unless the log says so already. tick() calls this function. The
  // daemon calls watch_store() once more at the end of a stop.
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
  Monotonic expired_at_;  // the time of the last sealing; at first the daemon's start
  bool clock_in_doubt_ = false;
  std::optional<Monotonic> clock_noted_;
  bool sealed_ahead_ = false;

  bool store_failed_ = false;
  bool store_damaged_ = false;
  std::set<std::string> databases_failed_;
  std::optional<Monotonic> tasks_read_;
  std::uint64_t overloads_;
  std::optional<Monotonic> overloaded_at_;  // when the count of overloads last grew
  std::uint64_t overloads_before_ = 0;      // the count when the present overload began
  std::uint64_t exhaustions_;
  std::optional<Monotonic> exhaustion_told_;
};

}  // namespace hearsay::daemon
