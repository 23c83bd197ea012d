// Lets one thread end what another thread waits for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace hearsay {

// A request to stop, made once and for good. Whoever waits takes a pointer to one and returns soon after the request.
//
// Thread-safety: any thread may use one at any time.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Makes the request. A further call does nothing.
  void request();

  // Returns true once request() was called.
  bool requested() const;

  // Blocks the calling thread until request() is called, but not for longer than `duration`. Returns requested().
  bool wait_for(std::chrono::milliseconds duration);

  // Wakes a wait that the class does not know, for example one for a socket.
  class Hook {
   public:
    // request() calls `wake` while the hook exists; a request made before wakes nobody. `wake` runs on the thread of
    // request() and must not use the cancellation. `cancellation` may be null: then the hook does nothing.
    Hook(Cancellation* cancellation, std::function<void()> wake);
    ~Hook();  // returns after a `wake` that is running
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
