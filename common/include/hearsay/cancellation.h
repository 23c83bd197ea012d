// Lets one thread end another thread's wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace hearsay {

// A request to stop. The request cannot be taken back. A function that takes a Cancellation and waits returns soon
// after another thread has called request().
//
// Thread-safety: any number of threads may use one Cancellation at any time.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Makes the request. A further call does nothing.
  void request();

  // Returns true if request() has been called.
  bool requested() const;

  // Blocks the calling thread until request() is called, but not for longer than `duration`. Returns requested().
  bool wait_for(std::chrono::milliseconds duration);

  // Wakes a thread that waits for something else than the Cancellation, for example for a socket.
  class Hook {
   public:
    // While the hook exists, the first call of request() calls `wake`. If request() was called before the hook existed,
    // nothing calls `wake`. `wake` runs on the thread that calls request(), and must not use the cancellation. If
    // `cancellation` is null, the hook does nothing.
    Hook(Cancellation* cancellation, std::function<void()> wake);
    ~Hook();  // waits for a `wake` that is running
    Hook(const Hook&) = delete;
    Hook& operator=(const Hook&) = delete;

   private:
    friend class Cancellation;
    Cancellation* cancellation_;
    std::function<void()> wake_;
  };

 private:
  mutable std::mutex mutex_;
  std::condition_variable condition_;
  bool requested_ = false;
  std::vector<Hook*> hooks_;
};

}  // namespace hearsay
