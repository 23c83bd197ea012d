#include "hearsay/background_flush.h"

#include <unistd.h>

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
  std::optional<Time> due;
  std::thread thread;
  std::once_flag joined;

  // Without random bits the flush comes at once: the client then says what is wrong.
  Time delayed(milliseconds at_least) {
    milliseconds delay{0};
    try {
      delay = draw_delay(options.delay, system_bit_source());
    } catch (const EntropyError&) {
    }
    return std::chrono::steady_clock::now() + at_least + delay;
  }

  void schedule(Time time) {
    {
      const std::lock_guard lock(mutex);
      if (due && *due <= time) return;
      due = time;
    }
    changed.notify_all();
  }

  // Returns false when it is time to stop.
  bool wait_until_due() {
    std::unique_lock lock(mutex);
    while (!stopping && (!due || *due > std::chrono::steady_clock::now())) {
      if (due) {
        const Time until = *due;
        changed.wait_until(lock, until);
      } else {
        changed.wait(lock);
      }
    }
    due.reset();
    return !stopping;
  }

  void run() {
    while (wait_until_due()) {
      const auto result = client.flush(options.deadline, &cancellation);
      if (!result || result->pending > 0) schedule(delayed(options.retry_after));
      if (!options.outcome) continue;
      try {
        options.outcome(result);
      } catch (...) {  // the app's own affair; the thread goes on
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
    if (thread.get_id() == std::this_thread::get_id()) return;  // `outcome` calls; the destructor joins
    std::call_once(joined, [this] { thread.join(); });
  }
};

BackgroundFlush::BackgroundFlush(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<BackgroundFlush>> BackgroundFlush::start(Client& client, BackgroundFlushOptions options) {
  if (options.deadline.count() < 0 || options.retry_after.count() < 0 || options.delay.span.count() < 0) {
    return Error{ErrorCode::kInvalidArgument, "the times of a background flush must not be negative"};
  }
  auto state = std::make_unique<State>(client, std::move(options));
  state->due = state->delayed(milliseconds(0));
  try {
    state->thread = std::thread([of = state.get()] { of->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kInternal, std::string("the system starts no thread: ") + error.what()};
  }
  return std::unique_ptr<BackgroundFlush>(new BackgroundFlush(std::move(state)));
}

BackgroundFlush::~BackgroundFlush() {
  if (::getpid() == state_->process) {
    state_->stop();
  } else {
    static_cast<void>(state_.release());  // the thread that a child could join, or whose locks it could take, is the parent's
  }
}

void BackgroundFlush::wake() {
  if (::getpid() == state_->process) state_->schedule(state_->delayed(milliseconds(0)));
}

void BackgroundFlush::stop() {
  if (::getpid() == state_->process) state_->stop();
}

}  // namespace hearsay::sdk
