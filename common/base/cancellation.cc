#include "hearsay/cancellation.h"

#include <algorithm>
#include <utility>

namespace hearsay {

void Cancellation::request() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(requested_, true)) return;
  for (Hook* hook : hooks_) hook->wake_();
  condition_.notify_all();
}

bool Cancellation::requested() const {
  const std::lock_guard lock(mutex_);
  return requested_;
}

bool Cancellation::wait_for(std::chrono::milliseconds duration) {
  // A wait of several centuries would overflow the clock's count of nanoseconds.
  constexpr std::chrono::hours kLongest{24 * 365};
  std::unique_lock lock(mutex_);
  return condition_.wait_for(lock, std::min<std::chrono::milliseconds>(duration, kLongest),
                             [this] { return requested_; });
}

Cancellation::Hook::Hook(Cancellation* cancellation, std::function<void()> wake)
    : cancellation_(cancellation), wake_(std::move(wake)) {
  if (cancellation_ == nullptr) return;
  const std::lock_guard lock(cancellation_->mutex_);
  cancellation_->hooks_.push_back(this);
}

Cancellation::Hook::~Hook() {
  if (cancellation_ == nullptr) return;
  const std::lock_guard lock(cancellation_->mutex_);
  std::erase(cancellation_->hooks_, this);
}

}  // namespace hearsay
