#include "aggregator/daemon/caretaker.h"

#include <cstdlib>

namespace hearsay::daemon {
namespace {

constexpr std::chrono::seconds kOverloadQuiet{10};
constexpr std::chrono::seconds kExhaustionPause{60};
constexpr std::int64_t kClockJump = 60;  // seconds

}  // namespace

Caretaker::Caretaker(Log& log, CaretakerSources sources, std::chrono::seconds expiry_interval, UnixSeconds wall,
                     Monotonic monotonic)
    : log_(log),
      sources_(std::move(sources)),
      expiry_interval_(expiry_interval),
      last_wall_(wall),
      last_monotonic_(monotonic),
      even_since_(monotonic),
      overloads_(sources_.overloads()),
      exhaustions_(sources_.exhaustions()) {}

void Caretaker::tick(UnixSeconds wall, Monotonic monotonic) {
  watch_store();
  watch_overload(monotonic);
  watch_descriptors(monotonic);
  watch_clock(wall, monotonic);
  expire_if_due(wall, monotonic);
  last_wall_ = wall;
  last_monotonic_ = monotonic;
}

void Caretaker::watch_store() {
  if (store_failed_) return;  // it stays so until the next start
  if (const auto failure = sources_.store_failure()) {
    store_failed_ = true;
    log_.write(LogLevel::kError, "store_failed", {{"reason", *failure}});
  }
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
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(monotonic - last_monotonic_).count();
  const auto jump = static_cast<std::int64_t>(wall - last_wall_) - passed;
  if (std::llabs(jump) < kClockJump) return;
  even_since_ = monotonic;
  log_.write(LogLevel::kWarn, "clock_jumped", {{"seconds", jump}});
}

void Caretaker::expire_if_due(UnixSeconds wall, Monotonic monotonic) {
  if (store_failed_ || monotonic - even_since_ < expiry_interval_) return;
  even_since_ = monotonic;
  const auto forgotten = sources_.expire(wall);
  if (!forgotten) {
    log_.write(LogLevel::kError, "expiry_failed",
               {{"error", error_name(forgotten.error().code)}, {"detail", forgotten.error().message}});
  } else if (*forgotten > 0) {
    log_.write(LogLevel::kInfo, "expired", {{"reports", *forgotten}});
  } else {
    log_.write(LogLevel::kDebug, "expired", {{"reports", 0}});
  }
}

}  // namespace hearsay::daemon
