// Runs analyses on threads of its own: in turn between callers, and bounded in number, time and waiting.
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
  std::chrono::milliseconds max_duration{60'000};  // of one analysis, from when it begins
  // What may wait: of one caller, so that nobody fills the queue for others, and the bodies of all.
  std::size_t max_waiting_of_caller = 16;
  std::uint64_t max_waiting_bytes = 64U << 20U;  // of one caller a quarter
};

struct AnalysisCounters {
  std::uint64_t at_work = 0;
  std::uint64_t waiting = 0;
  std::uint64_t waiting_bytes = 0;
  std::uint64_t refused = 0;  // since the start, because too much was waiting
};

// Analyses begin in turn between the callers that have some waiting. Of one caller at most one is at work, so that one
// thread of two stays free for others. Thread-safe.
class AnalysisQueue {
 public:
  using Caller = std::size_t;
  // Called once. `stop` is requested when the job must end: its time is over, its client has gone, or the queue stops.
  // Then the job should end within some milliseconds; it is also called if that comes before its turn.
  using Job = std::function<void(const std::stop_token& stop)>;

  explicit AnalysisQueue(const AnalysisQueueOptions& options);
  // Stops, and waits for the jobs at work.
  ~AnalysisQueue();

  // Why a job with a body of so many bytes is refused at this moment; counts the refusal. Errors: kOverloaded.
  Result<void> admits(Caller caller, std::uint64_t bytes);
  // Calls `job` on a thread of the queue. `client_gone` is requested when nobody waits for the answer any more. Errors:
  // as admits(); the job is then not called.
  Result<void> submit(Caller caller, std::uint64_t bytes, const std::stop_token& client_gone, Job job);

  // Asks the jobs at work to end, and calls those that wait with `stop` requested. From then on everything is refused.
  // Does not wait for the jobs at work. Idempotent.
  void stop();
  bool stopped() const;

  AnalysisCounters counters() const;

 private:
  struct Entry;
  struct Lane {  // of one caller
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
  std::map<Caller, Lane> lanes_;  // of callers with a job
  Caller last_ = 0;               // whose job began last
  std::vector<std::shared_ptr<Entry>> at_work_;
  AnalysisCounters counters_;
  bool stopped_ = false;
  boost::asio::thread_pool timers_{1};  // deadlines, and jobs that are withdrawn
  boost::asio::thread_pool threads_;
};

}  // namespace hearsay::api
