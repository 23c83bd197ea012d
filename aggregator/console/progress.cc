#include "aggregator/console/progress.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

namespace hearsay::console {

struct Progress::State {
  explicit State(std::string text) : what(std::move(text)) {}

  void show(const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    std::unique_lock lock(mutex);
    while (!woken.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }) && !stop.stop_requested()) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
      std::cerr << "\r\x1b[K" << what << ", " << seconds << " s" << std::flush;
      is_shown = true;
    }
    if (is_shown) std::cerr << "\r\x1b[K" << std::flush;
  }

  std::mutex mutex;
  std::condition_variable_any woken;
  std::string what;
  bool is_shown = false;
  // the last member, so that the thread ends before the other members do
  std::jthread thread{[this](const std::stop_token& stop) { show(stop); }};
};

Progress::Progress(std::string what)
    : state_(::isatty(STDERR_FILENO) == 1 ? std::make_unique<State>(std::move(what)) : nullptr) {}

Progress::~Progress() = default;

void Progress::set(std::string what) {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  state_->what = std::move(what);
}

}  // namespace hearsay::console
