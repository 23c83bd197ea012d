#include "hearsay/background_flush.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <stdexcept>
#include <thread>

#include "sdk/client/random_delay.h"
#include "tests/support/bit_sources.h"
#include "tests/support/fake_ledger.h"
#include "tests/support/manual_clock.h"
#include "tests/support/patience.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;
using tests::answer;

class Outcomes {
 public:
  std::function<void(const Result<FlushSummary>&)> function() {
    return [this](const Result<FlushSummary>& result) {
      const std::lock_guard lock(mutex_);
      results_.push_back(result);
      changed_.notify_all();
      if (results_.size() == 1) throw std::runtime_error("nobody minds");
    };
  }
  bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, tests::kPatience, [&] { return results_.size() >= count; });
  }
  bool wait_for_delivery() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, tests::kPatience, [&] {
      return std::any_of(results_.begin(), results_.end(), [](const auto& r) { return r && r->delivered > 0; });
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Result<FlushSummary>> results_;
};

struct BackgroundFixture {
  Task task = tests::small_task("b");
  tests::ScriptedTransport transport;
  tests::FakeLedger ledger;
  tests::ManualClock clock{tests::kTaskStart};
  Record record = Record::create(task.schema(), {1}).value();
  Client client =
      Client::create({task.id(), task.epsilon(), {}, "", {.max_attempts = 1}}, task, {transport, ledger, clock})
          .value();
  Outcomes outcomes;
  BackgroundFlushOptions options{.deadline = tests::kPatience, .outcome = outcomes.function()};
};

TEST_CASE_FIXTURE(BackgroundFixture, "the client flushes after the start and after each wake()") {
  transport.script.assign(2, answer(204));
  REQUIRE(client.submit(record));
  const auto background = BackgroundFlush::start(client, options).value();
  CHECK(outcomes.wait_for_delivery());
  CHECK(outcomes.wait_for(1));
  background->wake();
  CHECK(outcomes.wait_for(2));  // although the function for the first outcome threw
  background->stop();
  background->stop();
  background->wake();
  CHECK(ledger.count(ReportState::kDelivered) == 1);
}

TEST_CASE_FIXTURE(BackgroundFixture, "a waiting report is sent again without a wake()") {
  transport.script = {answer(503), answer(204)};
  options.retry_after = milliseconds(1);
  REQUIRE(client.submit(record));
  const auto background = BackgroundFlush::start(client, options).value();
  CHECK(outcomes.wait_for_delivery());
}

TEST_CASE_FIXTURE(BackgroundFixture, "a wake() flushes at once, also while a later flush is planned") {
  transport.script = {answer(503), answer(204)};
  options.retry_after = tests::kPatience * 2;
  REQUIRE(client.submit(record));
  const auto background = BackgroundFlush::start(client, options).value();
  CHECK(outcomes.wait_for(1));
  background->wake();
  CHECK(outcomes.wait_for_delivery());
}

TEST_CASE_FIXTURE(BackgroundFixture, "stop() ends a flush under way, and a delay") {
  SUBCASE("a flush that hangs") {
    std::atomic<bool> asked{false};
    transport.before_answer = [&](const ExchangeLimits& limits) {
      asked = true;
      limits.cancellation->wait_for(tests::kPatience * 2);
    };
    REQUIRE(client.submit(record));
    const auto background = BackgroundFlush::start(client, options).value();
    while (!asked) std::this_thread::sleep_for(milliseconds(1));
    background->stop();
    CHECK(ledger.count(ReportState::kPending) == 1);
  }
  SUBCASE("a delay") {
    options.delay = {RandomDelay::Law::kUniform, std::chrono::hours(24 * 365)};
    const auto background = BackgroundFlush::start(client, options).value();
    background->wake();
  }
  CHECK(transport.requests.size() <= 1);
}

TEST_CASE_FIXTURE(BackgroundFixture, "the function for outcomes may stop the background flush") {
  std::atomic<BackgroundFlush*> mine{nullptr};
  std::atomic<bool> stopped{false};
  options.outcome = [&](const Result<FlushSummary>&) {
    while (mine == nullptr) std::this_thread::sleep_for(milliseconds(1));
    mine.load()->stop();
    stopped = true;
  };
  const auto background = BackgroundFlush::start(client, options).value();
  mine = background.get();
  while (!stopped) std::this_thread::sleep_for(milliseconds(1));
}

TEST_CASE_FIXTURE(BackgroundFixture, "a forked child has no background flush, but may destroy the object") {
  auto background = BackgroundFlush::start(client, options).value();
  CHECK(outcomes.wait_for(1));
  const pid_t child = ::fork();
  if (child == 0) {
    background->wake();
    background->stop();
    background.reset();
    ::_exit(0);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE_FIXTURE(BackgroundFixture, "negative times are refused") {
  options.retry_after = milliseconds(-1);
  CHECK(BackgroundFlush::start(client, options).error().code == ErrorCode::kInvalidArgument);
}

// Compares means of 10,000 draws with the law. The standard deviations of the two means are 2.9 and 10 ms. A mean may
// be off by 6 standard deviations.
TEST_CASE("delays have the chosen law") {
  tests::CounterBitSource bits("delays");
  const auto mean = [&bits](const RandomDelay& delay, milliseconds longest) {
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) {
      const std::chrono::nanoseconds drawn = draw_delay(delay, bits);
      REQUIRE(drawn >= milliseconds(0));
      REQUIRE(drawn <= longest);
      sum += std::chrono::duration<double, std::milli>(drawn).count();
    }
    return sum / 10'000;
  };
  CHECK(mean({}, milliseconds(0)) == 0);
  CHECK(std::abs(mean({RandomDelay::Law::kUniform, milliseconds(1000)}, milliseconds(1000)) - 500) < 6 * 2.9);
  CHECK(std::abs(mean({RandomDelay::Law::kExponential, milliseconds(1000)}, milliseconds(20'000)) - 1000) < 6 * 10);
  CHECK(mean({RandomDelay::Law::kUniform, milliseconds::max()}, std::chrono::hours(10 * 365 * 24)) > 1e10);
  // Uniform delays are not whole milliseconds: the part below a whole millisecond is 0.5 ms on average. Whole
  // milliseconds would not hide the duration of submit().
  double below = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto drawn = draw_delay({RandomDelay::Law::kUniform, milliseconds(1000)}, bits);
    below += std::chrono::duration<double, std::micro>(drawn % milliseconds(1)).count();
  }
  CHECK(std::abs(below / 10'000 - 500) < 6 * 2.9);
  tests::FailingBitSource dead;
  CHECK_THROWS_AS(draw_delay({RandomDelay::Law::kUniform, milliseconds(1)}, dead), EntropyError);
}

}  // namespace
}  // namespace hearsay::sdk
