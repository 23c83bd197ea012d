#include "hearsay/background_flush.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "common/base/try.h"
#include "sdk/client/random_delay.h"

namespace hearsay::sdk {

using std::chrono::milliseconds;

struct BackgroundFlush::State {
  using Time = std::chrono::steady_clock::time_point;

  State(Client& of, BackgroundFlushOptions with) : client(of), options(std::move(with)) {}

  Client& client;
  const BackgroundFlushOptions options;
  const pid_t process = ::getpid();
  Cancellation cancellation;
  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;
  std::optional<Time> wanted;  // time of the flush that wake() asked for
  std::optional<Time> again;   // time of the next flush if the last flush left reports
  std::thread thread;
  std::once_flag joined;

  // If there are no random bits, the flush comes at once, and the client's flush() returns the error.
  Time delayed(milliseconds at_least) {
    std::chrono::nanoseconds delay{0};
    try {
      delay = draw_delay(options.delay, system_bit_source());
    } catch (const EntropyError&) {
    }
    return std::chrono::steady_clock::now() + at_least + delay;
  }

  // Does not change a time that is planned already. If each call drew a time and the earliest counted, the delay would
  // be shorter than the options say.
  void schedule(std::optional<Time>& due, Time time) {
    {
      const std::lock_guard lock(mutex);
      if (due) return;
      due = time;
    }
    changed.notify_all();
  }

  std::optional<Time> next() const {
    if (wanted && again) return std::min(*wanted, *again);
    return wanted ? wanted : again;
  }

  bool wait_until_due() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      const auto due = next();
      if (due && *due <= std::chrono::steady_clock::now()) break;
      if (due) {
        changed.wait_until(lock, *due);
      } else {
        changed.wait(lock);
      }
    }
    wanted.reset();
    again.reset();
    return !stopping;
  }

  void run() {
    while (wait_until_due()) {
      const auto result = client.flush(options.deadline, &cancellation);
      if (!result || result->pending > 0) schedule(again, delayed(options.retry_after));
      if (!options.outcome) continue;
      try {
        options.outcome(result);
      } catch (...) {  // an exception of the app's function must not end the thread
      }
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    changed.notify_all();
    cancellation.request();
    if (thread.get_id() == std::this_thread::get_id()) return;  // called from `outcome`; the destructor joins
    std::call_once(joined, [this] { thread.join(); });
  }
};

BackgroundFlush::BackgroundFlush(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<BackgroundFlush>> BackgroundFlush::start(Client& client, BackgroundFlushOptions options) {
  if (options.deadline.count() < 0 || options.retry_after.count() < 0 || options.delay.span.count() < 0) {
    return Error{ErrorCode::kInvalidArgument, "the times of a background flush must not be negative"};
  }
  auto state = std::make_unique<State>(client, std::move(options));
  state->wanted = state->delayed(milliseconds(0));
  try {
    state->thread = std::thread([of = state.get()] { of->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kInternal, std::string("the system cannot start a thread: ") + error.what()};
  }
  return std::unique_ptr<BackgroundFlush>(new BackgroundFlush(std::move(state)));
}

BackgroundFlush::~BackgroundFlush() {
  if (::getpid() == state_->process) {
    state_->stop();
  } else {
    static_cast<void>(state_.release());  // a child process has no thread to join, and its locks may be held for ever
  }
}

void BackgroundFlush::wake() {
  if (::getpid() == state_->process) state_->schedule(state_->wanted, state_->delayed(milliseconds(0)));
}

void BackgroundFlush::stop() {
  if (::getpid() == state_->process) state_->stop();
}

}  // namespace hearsay::sdk
