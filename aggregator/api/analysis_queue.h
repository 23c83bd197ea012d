// Runs analyses (estimates and exports) on threads of its own. Callers take turns. AnalysisQueueOptions bounds the
// number and the time of running analyses, and the number of waiting analyses.
#pragma once

// <utility> stands before Asio, because Boost 1.74's headers need <utility> without including it.
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
  std::chrono::milliseconds max_duration{60'000};  // after this time, the queue requests a stop of the running analysis
  // Limits on the waiting analyses of one caller, and on the bytes of the waiting bodies of all callers.
  std::size_t max_waiting_of_caller = 16;
  std::uint64_t max_waiting_bytes = 64U << 20U;  // one caller may take a quarter of these bytes
};

struct AnalysisCounters {
  std::uint64_t at_work = 0;
  std::uint64_t waiting = 0;
  std::uint64_t waiting_bytes = 0;
  std::uint64_t refused = 0;  // refused analyses since the start
};

// Callers with waiting analyses take turns. At most one analysis of a caller runs at a time, so a single caller cannot
// keep both of two threads busy. Thread-safe.
class AnalysisQueue {
 public:
  using Caller = std::size_t;
  // The queue calls each job once. `stop` is requested when the job must end: its time is over, its client is gone, or
  // the queue stops. The job should then return soon. If the client goes or the queue stops while the job waits, the
  // queue calls the job at once, with `stop` requested.
  using Job = std::function<void(const std::stop_token& stop)>;

  explicit AnalysisQueue(const AnalysisQueueOptions& options);
  // Calls stop(), and waits for the running jobs.
  ~AnalysisQueue();

  // Returns an error, and counts a refusal, if submit() would refuse a job with a body of `bytes` now. Errors:
  // kOverloaded.
  Result<void> admits(Caller caller, std::uint64_t bytes);
  // Calls `job` on a thread of the queue. A stop of `client_gone` is requested when nobody waits for the answer.
  // Errors: those of admits(); the job is then not called.
  Result<void> submit(Caller caller, std::uint64_t bytes, const std::stop_token& client_gone, Job job);

  // Refuses all further jobs. Requests a stop of the running jobs, but does not wait for their end. Calls the waiting
  // jobs with `stop` requested. May be called again.
  void stop();
  bool stopped() const;

  AnalysisCounters counters() const;

 private:
  struct Entry;
  struct Lane {  // the waiting jobs of one caller
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
  std::map<Caller, Lane> lanes_;  // only callers that have a waiting or running job
  Caller last_ = 0;               // the caller whose job began last
  std::vector<std::shared_ptr<Entry>> at_work_;
  AnalysisCounters counters_;
  bool stopped_ = false;
  boost::asio::thread_pool timers_{1};  // for deadlines and withdrawn jobs
  boost::asio::thread_pool threads_;
};

}  // namespace hearsay::api
