// A thread for calls that may wait for the disk or the store.
#pragma once

// <utility> stands before Asio, because Boost 1.74's headers need <utility> without including it.
#include <utility>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "aggregator/http/message.h"
#include "hearsay/result.h"

namespace hearsay::api {

// Thread-safe.
class Worker {
 public:
  // `most`: how many calls may wait for the thread or run on it. `refusal`: the text of the error for further calls.
  Worker(int most, const char* refusal) : most_(most), refusal_(refusal) {}

  // Calls `work` on the thread, and then `respond` with the response that `work` returned. Copies both functions.
  // Errors: kOverloaded (neither function is called).
  template <class Work, class Respond>
  Result<void> run(const Work& work, const Respond& respond) {
    if (waiting_.fetch_add(1) >= most_) {
      waiting_.fetch_sub(1);
      return Error{ErrorCode::kOverloaded, refusal_};
    }
    boost::asio::post(thread_, [this, work, respond] {
      http::HttpResponse response = work();
      waiting_.fetch_sub(1);
      respond(std::move(response));
    });
    return {};
  }

  boost::asio::thread_pool& thread() { return thread_; }

 private:
  const int most_;
  const char* const refusal_;
  std::atomic<int> waiting_{0};
  boost::asio::thread_pool thread_{1};
};

}  // namespace hearsay::api
