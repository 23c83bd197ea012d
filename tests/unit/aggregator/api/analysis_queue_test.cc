#include "aggregator/api/analysis_queue.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <future>
#include <stdexcept>
#include <string>

#include "tests/support/patience.h"

namespace hearsay::api {
namespace {

using std::chrono::milliseconds;

using tests::kPatience;

AnalysisQueueOptions with_threads(unsigned threads) {
  AnalysisQueueOptions options;
  options.threads = threads;
  return options;
}

void wait_for(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, kPatience, [] { return false; });
}

// A job that runs until the test releases the job, or the queue asks the job to stop.
class Blocker {
 public:
  AnalysisQueue::Job job() {
    return [this](const std::stop_token& stop) {
      begun_.set_value();
      const std::stop_callback stopped(stop, [this] { release_.request_stop(); });
      wait_for(release_.get_token());
      ended_.set_value(stop.stop_requested());
    };
  }
  void wait_until_begun() { REQUIRE(begun_.get_future().wait_for(kPatience) == std::future_status::ready); }
  void release() { release_.request_stop(); }
  // Waits for the job's end. Returns true if the queue has asked the job to stop.
  bool was_stopped() {
    auto ended = ended_.get_future();
    REQUIRE(ended.wait_for(kPatience) == std::future_status::ready);
    return ended.get();
  }

 private:
  std::stop_source release_;
  std::promise<void> begun_;
  std::promise<bool> ended_;
};

class Calls {
 public:
  AnalysisQueue::Job job(std::string name) {
    return [this, name = std::move(name)](const std::stop_token& stop) {
      const std::lock_guard lock(mutex_);
      names_ += name + (stop.stop_requested() ? "! " : " ");
      ++count_;
      changed_.notify_all();
    };
  }
  std::string wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [&] { return count_ >= count; });
    return names_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string names_;
  std::size_t count_ = 0;
};

TEST_CASE("callers take turns, even if one caller has many analyses waiting") {
  Calls calls;
  Blocker blocker;
  AnalysisQueue queue(with_threads(1));
  REQUIRE(queue.submit(9, 0, {}, blocker.job()));
  blocker.wait_until_begun();
  for (const char* name : {"a1", "a2", "a3"}) REQUIRE(queue.submit(1, 0, {}, calls.job(name)));
  REQUIRE(queue.submit(2, 0, {}, calls.job("b1")));
  REQUIRE(queue.submit(3, 0, {}, calls.job("c1")));
  CHECK(queue.counters().at_work == 1);
  CHECK(queue.counters().waiting == 5);
  blocker.release();
  CHECK(!blocker.was_stopped());
  CHECK(calls.wait_for(5) == "a1 b1 c1 a2 a3 ");
}

TEST_CASE("the analyses of one caller do not run on both threads at once") {
  Calls calls;
  Blocker blocker;
  AnalysisQueue queue(with_threads(2));
  REQUIRE(queue.submit(1, 0, {}, blocker.job()));
  REQUIRE(queue.submit(1, 0, {}, calls.job("a")));
  blocker.wait_until_begun();
  REQUIRE(queue.submit(2, 0, {}, calls.job("b")));
  CHECK(calls.wait_for(1) == "b ");
  blocker.release();
  CHECK(calls.wait_for(2) == "b a ");
}

TEST_CASE("the queue limits the number and the bytes of waiting analyses, and refuses more with kOverloaded") {
  Calls calls;
  Blocker blocker;
  AnalysisQueueOptions options = with_threads(1);
  options.max_waiting_of_caller = 3;
  options.max_waiting_bytes = 400;
  AnalysisQueue queue(options);
  REQUIRE(queue.submit(9, 1000, {}, blocker.job()).error().code == ErrorCode::kOverloaded);
  REQUIRE(queue.submit(9, 400, {}, blocker.job()));
  blocker.wait_until_begun();
  const auto refused = [&](AnalysisQueue::Caller caller, std::uint64_t bytes) {
    const auto submitted = queue.submit(caller, bytes, {}, calls.job("x"));
    if (submitted) return false;
    CHECK(submitted.error().code == ErrorCode::kOverloaded);
    return true;
  };
  for (int i = 0; i < 3; ++i) CHECK(!refused(1, 10));
  CHECK(refused(1, 0));     // caller 1 has three waiting analyses, which is the limit
  CHECK(!refused(2, 150));  // a caller with no other analysis may exceed a quarter of the bytes
  CHECK(refused(2, 1));
  CHECK(!refused(3, 90));
  CHECK(refused(3, 11));   // the caller would have 101 waiting bytes, and 100 are allowed
  CHECK(refused(4, 131));  // 270 bytes are waiting, and 400 are allowed
  CHECK(queue.counters().waiting == 5);
  CHECK(queue.counters().waiting_bytes == 270);
  CHECK(queue.counters().refused == 5);
  CHECK(queue.admits(4, 130));
  CHECK(queue.admits(4, 131).error().code == ErrorCode::kOverloaded);
  CHECK(queue.counters().refused == 6);
  blocker.release();
  CHECK(calls.wait_for(5).size() == 10);
  CHECK(queue.submit(4, 131, {}, calls.job("y")));
  calls.wait_for(6);
}

TEST_CASE("if a client disconnects, its running analysis is asked to stop, and its waiting analysis leaves the queue") {
  Calls calls;
  Blocker blocker;
  std::stop_source client;
  std::stop_source other_client;
  AnalysisQueue queue(with_threads(1));
  REQUIRE(queue.submit(1, 5, client.get_token(), blocker.job()));
  blocker.wait_until_begun();
  REQUIRE(queue.submit(1, 7, other_client.get_token(), calls.job("gone")));
  REQUIRE(queue.submit(1, 8, {}, calls.job("stays")));
  other_client.request_stop();
  CHECK(calls.wait_for(1) == "gone! ");
  CHECK(queue.counters().waiting == 1);
  CHECK(queue.counters().waiting_bytes == 8);
  client.request_stop();
  CHECK(blocker.was_stopped());
  CHECK(calls.wait_for(2) == "gone! stays ");
  // Here the client disconnects before its analysis is submitted.
  REQUIRE(queue.submit(1, 0, client.get_token(), calls.job("late")));
  CHECK(calls.wait_for(3) == "gone! stays late! ");
}

TEST_CASE("the queue asks an analysis to stop after its time limit") {
  Blocker blocker;
  AnalysisQueueOptions options = with_threads(1);
  options.max_duration = milliseconds(20);
  AnalysisQueue queue(options);
  REQUIRE(queue.submit(1, 0, {}, blocker.job()));
  CHECK(blocker.was_stopped());
}

TEST_CASE("stopping the queue ends running analyses, answers waiting analyses and refuses new analyses") {
  Calls calls;
  Blocker blocker;
  AnalysisQueue queue(with_threads(1));
  REQUIRE(queue.submit(1, 0, {}, blocker.job()));
  blocker.wait_until_begun();
  REQUIRE(queue.submit(1, 1, {}, calls.job("a")));
  REQUIRE(queue.submit(2, 1, {}, calls.job("b")));
  CHECK(!queue.stopped());
  queue.stop();
  queue.stop();
  CHECK(queue.stopped());
  CHECK(calls.wait_for(2) == "a! b! ");
  CHECK(blocker.was_stopped());
  CHECK(queue.submit(1, 0, {}, calls.job("c")).error().code == ErrorCode::kOverloaded);
  CHECK(queue.counters().waiting_bytes == 0);
}

TEST_CASE("an exception in a job ends only that job") {
  Calls calls;
  AnalysisQueue queue(with_threads(1));
  REQUIRE(queue.submit(1, 0, {}, [](const std::stop_token&) { throw std::runtime_error("a job's"); }));
  REQUIRE(queue.submit(1, 0, {}, calls.job("next")));
  CHECK(calls.wait_for(1) == "next ");
}

}  // namespace
}  // namespace hearsay::api
