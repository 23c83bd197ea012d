#include "aggregator/api/analysis_queue.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <iterator>
#include <optional>

#include "common/base/try.h"

namespace hearsay::api {

struct AnalysisQueue::Entry {
  Entry(Caller of, std::uint64_t body_bytes, Job to_call) : caller(of), bytes(body_bytes), job(std::move(to_call)) {}

  const Caller caller;
  const std::uint64_t bytes;
  Job job;
  std::stop_source stop;
  std::optional<std::stop_callback<std::function<void()>>> on_client_gone;

  // Drops an exception of the job.
  void call() {
    try {
      std::exchange(job, nullptr)(stop.get_token());
    } catch (const std::exception&) {
    }
  }
};

AnalysisQueue::AnalysisQueue(const AnalysisQueueOptions& options) : options_(options), threads_(options.threads) {}

AnalysisQueue::~AnalysisQueue() {
  stop();
  threads_.join();
  timers_.stop();
  timers_.join();
}

Result<void> AnalysisQueue::admits(Caller caller, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  return admits_locked(caller, bytes);
}

Result<void> AnalysisQueue::admits_locked(Caller caller, std::uint64_t bytes) {
  const auto refused = [this](const char* why) {
    ++counters_.refused;
    return Error{ErrorCode::kOverloaded, why};
  };
  if (stopped_) return refused("the aggregator is stopping");
  const std::uint64_t share = options_.max_waiting_bytes / 4;
  const auto lane = lanes_.find(caller);
  if (lane != lanes_.end() && (lane->second.waiting.size() >= options_.max_waiting_of_caller ||
                               bytes > share - std::min(share, lane->second.waiting_bytes))) {
    return refused("too many analyses of this token are waiting: try again later");
  }
  if (bytes > options_.max_waiting_bytes - counters_.waiting_bytes) {
    return refused("too many analyses are waiting: try again later");
  }
  return {};
}

Result<void> AnalysisQueue::submit(Caller caller, std::uint64_t bytes, const std::stop_token& client_gone, Job job) {
  const auto entry = std::make_shared<Entry>(caller, bytes, std::move(job));
  // A thread may take the job before the callback below is set, so a client that is gone already is noticed here.
  if (client_gone.stop_requested()) entry->stop.request_stop();
  {
    const std::lock_guard lock(mutex_);
    HEARSAY_CHECK_OK(admits_locked(caller, bytes));
    Lane& lane = lanes_[caller];
    lane.waiting.push_back(entry);
    lane.waiting_bytes += bytes;
    ++counters_.waiting;
    counters_.waiting_bytes += bytes;
  }
  boost::asio::post(threads_, [this] { work(); });
  // The callback runs on the thread of the client's connection, which must not run the job.
  entry->on_client_gone.emplace(client_gone, [this, weak = std::weak_ptr(entry)] {
    const auto gone = weak.lock();
    if (!gone) return;
    gone->stop.request_stop();
    try {
      boost::asio::post(timers_, [this, gone] { withdraw(gone); });
    } catch (const std::exception&) {
      // The job cannot be withdrawn, so it keeps its place in the queue. At its turn, the job ends at once.
    }
  });
  return {};
}

// Runs jobs on this thread until none is ready. A waiting job is ready if its caller has no running job. submit() posts
// a call of work(). If the caller has a running job, the work() that runs this job takes the waiting job afterwards.
void AnalysisQueue::work() {
  while (const auto entry = next()) {
    run(entry);
    const std::lock_guard lock(mutex_);
    std::erase(at_work_, entry);
    --counters_.at_work;
    const auto lane = lanes_.find(entry->caller);
    lane->second.at_work = false;
    forget_if_idle(lane);
  }
}

// Goes through the callers in the order of their numbers, beginning after last_. Takes the first waiting job of the
// first caller that has no running job. Returns null if there is no such job.
std::shared_ptr<AnalysisQueue::Entry> AnalysisQueue::next() {
  const std::lock_guard lock(mutex_);
  auto lane = lanes_.upper_bound(last_);
  for (std::size_t seen = 0; seen < lanes_.size(); ++seen, ++lane) {
    if (lane == lanes_.end()) lane = lanes_.begin();
    Lane& candidate = lane->second;
    if (candidate.at_work || candidate.waiting.empty()) continue;
    auto entry = std::move(candidate.waiting.front());
    candidate.waiting.pop_front();
    candidate.waiting_bytes -= entry->bytes;
    candidate.at_work = true;
    last_ = lane->first;
    at_work_.push_back(entry);
    --counters_.waiting;
    counters_.waiting_bytes -= entry->bytes;
    ++counters_.at_work;
    return entry;
  }
  return nullptr;
}

void AnalysisQueue::run(const std::shared_ptr<Entry>& entry) {
  boost::asio::steady_timer deadline(timers_, options_.max_duration);
  deadline.async_wait([weak = std::weak_ptr(entry)](const boost::system::error_code& error) {
    const auto late = weak.lock();
    if (late && !error) late->stop.request_stop();
  });
  entry->call();
}

// Does nothing if the job runs already.
void AnalysisQueue::withdraw(const std::shared_ptr<Entry>& entry) {
  {
    const std::lock_guard lock(mutex_);
    const auto lane = lanes_.find(entry->caller);
    if (lane == lanes_.end()) return;
    auto& waiting = lane->second.waiting;
    const auto place = std::find(waiting.begin(), waiting.end(), entry);
    if (place == waiting.end()) return;
    waiting.erase(place);
    lane->second.waiting_bytes -= entry->bytes;
    --counters_.waiting;
    counters_.waiting_bytes -= entry->bytes;
    forget_if_idle(lane);
  }
  entry->call();
}

void AnalysisQueue::forget_if_idle(std::map<Caller, Lane>::iterator lane) {
  if (lane->second.waiting.empty() && !lane->second.at_work) lanes_.erase(lane);
}

void AnalysisQueue::stop() {
  std::vector<std::shared_ptr<Entry>> waiting;
  std::vector<std::shared_ptr<Entry>> at_work;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    at_work = at_work_;
    for (auto& [caller, lane] : lanes_) {
      std::move(lane.waiting.begin(), lane.waiting.end(), std::back_inserter(waiting));
      lane.waiting.clear();
      lane.waiting_bytes = 0;
    }
    std::erase_if(lanes_, [](const auto& lane) { return !lane.second.at_work; });
    counters_.waiting = 0;
    counters_.waiting_bytes = 0;
  }
  for (const auto& entry : at_work) entry->stop.request_stop();
  for (const auto& entry : waiting) {
    entry->stop.request_stop();
    entry->call();
  }
}

bool AnalysisQueue::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

AnalysisCounters AnalysisQueue::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace hearsay::api
