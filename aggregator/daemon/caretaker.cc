#include "aggregator/daemon/caretaker.h"

#include "aggregator/daemon/readiness.h"

namespace hearsay::daemon {
namespace {

constexpr std::chrono::seconds kTasksPoll{5};
constexpr std::chrono::seconds kOverloadQuiet{10};
constexpr std::chrono::seconds kExhaustionPause{60};
constexpr std::chrono::seconds kClockNotePause{60};

}  // namespace

Caretaker::Caretaker(Log& log, ClockWatch& clock, CaretakerSources sources, std::chrono::seconds expiry_interval,
                     Monotonic monotonic)
    : log_(log),
      clock_(clock),
      sources_(std::move(sources)),
      expiry_interval_(expiry_interval),
      expired_at_(monotonic),
      overloads_(sources_.overloads()),
      exhaustions_(sources_.exhaustions()) {}

void Caretaker::tick(UnixSeconds wall, Monotonic monotonic) {
  watch_store();
  watch_databases();
  watch_tasks(monotonic);
  watch_overload(monotonic);
  watch_descriptors(monotonic);
  watch_clock(wall, monotonic);
  watch_sealed(wall);
  note_clock_if_due(wall, monotonic);
  expire_if_due(wall, monotonic);
}

void Caretaker::watch_store() {
  const auto failure = sources_.store_failure();
  if (failure && !store_failed_)
    log_.write(LogLevel::kError, "store_failed", {{"error", error_name(failure->code)}, {"reason", failure->message}});
  if (!failure && store_failed_) log_.write(LogLevel::kInfo, "store_recovered");
  store_failed_ = failure.has_value();
  store_damaged_ = failure && failure->code == ErrorCode::kStoreCorrupt;
}

void Caretaker::watch_databases() {
  for (const store::DatabaseState& state : sources_.databases()) {
    if (state.failure && databases_failed_.insert(state.name).second) {
      log_.write(
          LogLevel::kError, "database_failed",
          {{"database", state.name}, {"error", error_name(state.failure->code)}, {"reason", state.failure->message}});
    }
    if (!state.failure && databases_failed_.erase(state.name) != 0) {
      log_.write(LogLevel::kInfo, "database_recovered", {{"database", state.name}});
    }
  }
}

void Caretaker::watch_tasks(Monotonic monotonic) {
  if (store_failed_ || !sources_.tasks_changed) return;
  const bool changed = sources_.tasks_changed();
  if (!changed && tasks_read_ && monotonic - *tasks_read_ < kTasksPoll) return;
  tasks_read_ = monotonic;
  sources_.refresh_tasks();
}

void Caretaker::watch_overload(Monotonic monotonic) {
  const std::uint64_t overloads = sources_.overloads();
  if (overloads != overloads_) {
    if (!overloaded_at_) {
      overloads_before_ = overloads_;
      log_.write(LogLevel::kWarn, "overload_begins");
    }
    overloaded_at_ = monotonic;
    overloads_ = overloads;
  } else if (overloaded_at_ && monotonic - *overloaded_at_ >= kOverloadQuiet) {
    overloaded_at_.reset();
    log_.write(LogLevel::kInfo, "overload_ends", {{"refused", overloads - overloads_before_}});
  }
}

void Caretaker::watch_descriptors(Monotonic monotonic) {
  const std::uint64_t exhaustions = sources_.exhaustions();
  if (exhaustions == exhaustions_) return;
  if (exhaustion_told_ && monotonic - *exhaustion_told_ < kExhaustionPause) return;
  log_.write(LogLevel::kError, "descriptors_exhausted", {{"times", exhaustions - exhaustions_}});
  exhaustions_ = exhaustions;
  exhaustion_told_ = monotonic;
}

void Caretaker::watch_clock(UnixSeconds wall, Monotonic monotonic) {
  if (const auto jump = clock_.follow(wall, monotonic)) {
    log_.write(LogLevel::kWarn, "clock_jumped", {{"seconds", *jump}});
  }
  const bool in_doubt = clock_.in_doubt(wall, monotonic);
  if (in_doubt == clock_in_doubt_) return;
  clock_in_doubt_ = in_doubt;
  if (in_doubt) {
    log_.write(LogLevel::kWarn, "clock_in_doubt");
  } else {
    log_.write(LogLevel::kInfo, "clock_trusted");
  }
}

void Caretaker::watch_sealed(UnixSeconds wall) {
  const std::uint64_t ahead = sources_.sealed_ahead(wall + kSealedAheadTolerance);
  if (ahead != 0 && !sealed_ahead_) log_.write(LogLevel::kError, "windows_sealed_ahead", {{"seconds", ahead}});
  sealed_ahead_ = ahead != 0;
}

void Caretaker::note_clock_if_due(UnixSeconds wall, Monotonic monotonic) {
  if (store_failed_ || clock_in_doubt_) return;
  if (clock_noted_ && monotonic - *clock_noted_ < kClockNotePause) return;
  clock_noted_ = monotonic;
  sources_.note_clock(wall);
}

void Caretaker::expire_if_due(UnixSeconds wall, Monotonic monotonic) {
  if (clock_in_doubt_ || monotonic - expired_at_ < expiry_interval_) return;
  // In a shared store, one damaged row must not keep the reports of all tasks from being deleted. A damaged embedded
  // store refuses to seal.
  if (store_failed_ && !store_damaged_) return;
  expired_at_ = monotonic;
  const store::Expiry done = sources_.expire(wall);
  const auto level = done.forgotten > 0 ? LogLevel::kInfo : LogLevel::kDebug;
  log_.write(level, "expired", {{"reports", done.forgotten}});
  if (done.failure) {
    log_.write(LogLevel::kError, "expiry_failed",
               {{"error", error_name(done.failure->code)}, {"detail", done.failure->message}});
  }
}

}  // namespace hearsay::daemon
