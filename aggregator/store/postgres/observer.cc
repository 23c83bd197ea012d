#include "aggregator/store/postgres/observer.h"

#include <pthread.h>

#include <algorithm>

namespace hearsay::store::postgres {
namespace {

constexpr std::chrono::seconds kPause{1};
constexpr int kIdleShare = 20;  // counting takes at most about 1/20 of the time

}  // namespace

Observer::Observer(Questions questions, std::shared_ptr<const Observation> first)
    : questions_(std::move(questions)),
      last_(std::move(first)),
      answered_(Steady::now()),
      thread_([this](const std::stop_token& stopping) { watch(stopping); }) {}

std::shared_ptr<const Observation> Observer::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

Observer::Steady::duration Observer::silence() const {
  const std::lock_guard lock(mutex_);
  return Steady::now() - answered_;
}

std::optional<Error> Observer::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void Observer::note(const Result<void>& answer) {
  const std::lock_guard lock(mutex_);
  trouble_.reset();
  if (answer) {
    answered_ = Steady::now();
  } else {
    trouble_ = answer.error();
  }
}

void Observer::look(const Look& question) {
  std::shared_ptr<const Observation> seen = question(*last(), [this] { note({}); });
  if (!seen) return;
  const std::lock_guard lock(mutex_);
  last_ = std::move(seen);
}

void Observer::watch(const std::stop_token& stopping) {
  pthread_setname_np(pthread_self(), "observer");
  Steady::time_point due = Steady::now();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait_for(lock, stopping, kPause, [] { return false; });
    if (stopping.stop_requested()) return;
    lock.unlock();
    const Result<void> answer = questions_.answers();
    note(answer);
    if (answer) look(questions_.tasks);
    const Steady::time_point begun = Steady::now();
    if (answer && begun >= due) {
      look(questions_.count);
      due = begun + (Steady::now() - begun) * kIdleShare;
    }
    lock.lock();
  }
}

}  // namespace hearsay::store::postgres
