// Runs analyses on threads of its own. Callers take turns; the number, the time and the waiting analyses are bounded.
#pragma once

// <utility> before Asio: Boost 1.74's headers rely on it.
#include <utility>

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::api {

struct AnalysisQueueOptions {
  unsigned threads = 1;
  std::chrono::milliseconds max_duration{60'000};  // of one analysis, from its beginning
  // Bounds of what waits: the analyses of one caller, and the bodies of all callers. No caller can fill the queue.
  std::size_t max_waiting_of_caller = 16;
  std::uint64_t max_waiting_bytes = 64U << 20U;  // one caller may have a quarter
};

struct AnalysisCounters {
  std::uint64_t at_work = 0;
  std::uint64_t waiting = 0;
  std::uint64_t waiting_bytes = 0;
  std::uint64_t refused = 0;  // since the start
};

// Callers with waiting analyses take turns. Each caller has at most one analysis at work, so of two threads one stays
// free for others. Thread-safe.
class AnalysisQueue {
 public:
  using Caller = std::size_t;
  // Called once. `stop` is requested if the job must end: its time is over, its client has gone, or the queue stops.
  // The job should then end within some milliseconds. If that happens before the job's turn, the job is called at once,
  // with `stop` requested.
  using Job = std::function<void(const std::stop_token& stop)>;

  explicit AnalysisQueue(const AnalysisQueueOptions& options);
  // Calls stop(), and waits for the jobs at work.
  ~AnalysisQueue();

  // Returns an error if a job with a body of `bytes` would be refused now, and counts the refusal. Errors: kOverloaded.
  Result<void> admits(Caller caller, std::uint64_t bytes);
  // Calls `job` on a thread of the queue. `client_gone` is requested when nobody waits for the answer any more. Errors:
  // those of admits(); the job is then not called.
  Result<void> submit(Caller caller, std::uint64_t bytes, const std::stop_token& client_gone, Job job);

  // Refuses all further jobs. Asks the jobs at work to end, but does not wait for them. Calls the waiting jobs with a
  // `stop` that is requested already, so they end at once. Idempotent.
  void stop();
  bool stopped() const;

  AnalysisCounters counters() const;

 private:
  struct Entry;
  struct Lane {  // the jobs of one caller
    std::deque<std::shared_ptr<Entry>> waiting;
    std::uint64_t waiting_bytes = 0;
    bool at_work = false;
  };

  Result<void> admits_locked(Caller caller, std::uint64_t bytes);
  void work();
  std::shared_ptr<Entry> next();
  void run(const std::shared_ptr<Entry>& entry);
  void withdraw(const std::shared_ptr<Entry>& entry);
  void forget_if_idle(std::map<Caller, Lane>::iterator lane);

  const AnalysisQueueOptions options_;
  mutable std::mutex mutex_;
  std::map<Caller, Lane> lanes_;  // only callers that have a job
  Caller last_ = 0;               // the caller whose job began last
  std::vector<std::shared_ptr<Entry>> at_work_;
  AnalysisCounters counters_;
  bool stopped_ = false;
  boost::asio::thread_pool timers_{1};  // for deadlines and withdrawn jobs
  boost::asio::thread_pool threads_;
};

}  // namespace hearsay::api
