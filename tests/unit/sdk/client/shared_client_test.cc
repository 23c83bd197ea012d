// Clients that several threads share, and servers that never answer.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "common/report/report.h"
#include "hearsay/client.h"
#include "tests/support/fake_ledger.h"
#include "tests/support/manual_clock.h"
#include "tests/support/patience.h"
#include "tests/support/scripted_transport.h"
#include "tests/support/silent_server.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEndless = tests::kPatience * 2;

// An aggregator that accepts reports and counts how often each arrived. Every fifth upload fails.
class CountingTransport final : public Transport {
 public:
  Result<TransportResponse> get(std::string_view, const ExchangeLimits&) override { return tests::answer(200); }
  Result<TransportResponse> post(std::string_view, std::string_view, std::span<const std::uint8_t> body,
                                 const ExchangeLimits& limits) override {
    if (limits.cancellation->requested()) return Error{ErrorCode::kCancelled, ""};
    // If flushes did not take turns, two flushes would send the same reports in this time.
    std::this_thread::sleep_for(milliseconds(1));
    const std::lock_guard lock(mutex_);
    if (++posts_ % 5 == 0) return Error{ErrorCode::kConnectionFailed, ""};
    while (!body.empty()) {
      const auto report = read_report(body);
      if (!report) return Error{ErrorCode::kIo, "not a report"};
      ++counts[report->id];
    }
    return tests::answer(204);
  }

  std::map<ReportId, int> counts;

 private:
  std::mutex mutex_;
  int posts_ = 0;
};

struct SharedFixture {
  Task task = tests::small_task("b c3");
  CountingTransport transport;
  tests::FakeLedger ledger;
  tests::ManualClock clock{tests::kTaskStart};
  Record record = Record::create(task.schema(), {1, 0}).value();
  ClientOptions options{task.id(), task.epsilon(), {}, "", {.max_uploads_per_minute = 1'000'000}};

  Client client() { return Client::create(options, task, {transport, ledger, clock}).value(); }
};

TEST_CASE_FIXTURE(SharedFixture,
                  "16 threads share a client: every report arrives, and no delivered report is sent again") {
  ledger.payable = true;
  Client client = this->client();
  std::atomic<int> made{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < 10; ++j) {
          if (const auto paid = client.submit(record); paid && *paid == Payment::kReported) ++made;
          if (j % 3 == 0) CHECK(client.flush(kEndless));
          if (i == 0 && j % 4 == 0) client.cancel();
        }
      });
    }
  }
  CHECK(client.flush(kEndless)->pending == 0);
  CHECK(made == 160);
  CHECK(transport.counts.size() == 160);
  for (const auto& [id, count] : transport.counts) CHECK(count == 1);
  CHECK(ledger.count(ReportState::kDelivered) == 160);
}

TEST_CASE_FIXTURE(SharedFixture, "clients that share a ledger lose no report, and send only paid reports") {
  ledger.payable = true;
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(client());
  {
    std::vector<std::jthread> threads;
    for (Client& mine : clients) {
      threads.emplace_back([&] {
        for (int j = 0; j < 10; ++j) {
          CHECK(mine.submit(record));
          CHECK(mine.flush(kEndless));
        }
      });
    }
  }
  CHECK(clients[0].flush(kEndless)->pending == 0);
  CHECK(transport.counts.size() == 40);
  CHECK(ledger.count(ReportState::kDelivered) == 40);
}

struct DeadServer : SharedFixture {
  tests::SilentServer silent;
  std::unique_ptr<Transport> dead =
      make_https_transport({.host = "127.0.0.1", .port = silent.port(), .timeout = kEndless}).value();
  std::unique_ptr<Clock> system = make_system_clock();
  // By the system's clock the fixture's task is over. So this task begins today.
  Task present = Task::create([this] {
                   TaskSpec spec = task.spec();
                   spec.task_start = system->now() / tests::kDay * tests::kDay;
                   return spec;
                 }())
                     .value();
  ClientOptions present_options{present.id(), present.epsilon(), {}, "", {}};
  Client hanging = Client::create(present_options, present, {*dead, ledger, *system}).value();
};

TEST_CASE_FIXTURE(DeadServer, "with a dead server submit() works as usual, and flush() ends at its deadline") {
  CHECK(hanging.submit(record).value() == Payment::kReported);
  const auto summary = hanging.flush(milliseconds(100));
  REQUIRE(summary);
  CHECK(summary->pending == 1);
  CHECK(summary->problem->code == ErrorCode::kTimedOut);
  CHECK(hanging.report(record, milliseconds(100))->pending == 1);
}

TEST_CASE_FIXTURE(DeadServer, "fetching the task ends at its limit, or when it is cancelled") {
  const auto create = [&](const ExchangeLimits& limits) {
    const auto made = Client::create(present_options, {*dead, ledger, *system}, limits);
    REQUIRE_FALSE(made);
    return made.error().code;
  };
  CHECK(create({milliseconds(100)}) == ErrorCode::kTimedOut);
  Cancellation cancellation;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(milliseconds(20));
    cancellation.request();
  });
  CHECK(create({kEndless, &cancellation}) == ErrorCode::kCancelled);
}

// If cancel() did not wake a flush, the flush would wait for minutes and end with kTimedOut.
TEST_CASE_FIXTURE(DeadServer,
                  "cancel() ends the flush under way and those that wait for their turn, but no later flush") {
  CHECK(hanging.submit(record));
  std::atomic<int> cancelled{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        const auto summary = hanging.flush(kEndless);
        if (summary && summary->problem && summary->problem->code == ErrorCode::kCancelled) ++cancelled;
      });
    }
    std::jthread canceller([&] {
      while (cancelled < 3) {  // cancel() does not end a flush that has not begun
        hanging.cancel();
        std::this_thread::sleep_for(milliseconds(20));
      }
    });
  }
  CHECK(cancelled == 3);
  CHECK(hanging.flush(milliseconds(50))->problem->code == ErrorCode::kTimedOut);
}

TEST_CASE_FIXTURE(DeadServer, "a flush waits for another flush only until its own deadline") {
  CHECK(hanging.submit(record));
  Cancellation end;
  std::atomic<bool> begun{false};
  std::jthread first([&] {
    begun = true;
    CHECK(hanging.flush(kEndless, &end)->problem->code == ErrorCode::kCancelled);
  });
  while (!begun) std::this_thread::sleep_for(milliseconds(1));
  // If the first flush has not taken its turn yet, this flush takes the turn and ends in the same way.
  const auto second = hanging.flush(milliseconds(100));
  CHECK(second->problem->code == ErrorCode::kTimedOut);
  CHECK(second->pending == 1);
  end.request();
}

// A flush's wait for its turn counts towards its deadline. On a slow machine the second flush may begin after the
// first has ended. Then the test tries again with a longer wait.
TEST_CASE_FIXTURE(SharedFixture, "the wait for another flush is part of the deadline") {
  tests::ScriptedTransport scripted;
  Client shared = Client::create(options, task, {scripted, ledger, clock}).value();
  ledger.payable = true;
  bool is_shorter = false;
  for (milliseconds wait(20); !is_shorter && wait < tests::kPatience; wait *= 2) {
    std::atomic<bool> asked{false};
    std::atomic<bool> goes_on{false};
    milliseconds second{0};
    scripted.before_answer = [&](const ExchangeLimits& limits) {
      if (asked.exchange(true)) second = limits.timeout;
      while (!goes_on) std::this_thread::sleep_for(milliseconds(1));
    };
    scripted.script = {Error{ErrorCode::kTlsFailed, ""}, tests::answer(204)};  // the first flush leaves the report
    CHECK(shared.submit(record));
    std::jthread first([&] { CHECK(shared.flush(kEndless)); });
    while (!asked) std::this_thread::sleep_for(milliseconds(1));
    std::jthread other([&] { CHECK(shared.flush(kEndless)); });
    std::this_thread::sleep_for(wait);
    goes_on = true;
    other.join();
    is_shorter = second <= kEndless - wait / 2;
  }
  CHECK(is_shorter);
}

class InterruptedLedger final : public Ledger {
 public:
  explicit InterruptedLedger(Ledger& inner) : inner_(inner) {}
  Result<Payment> pay(const Task& task, UnixSeconds now,
                      const std::function<Result<ReportBytes>()>& randomize) override {
    return inner_.pay(task, now, randomize);
  }
  Result<void> note_server_time(UnixSeconds time) override { return inner_.note_server_time(time); }
  Outbox& outbox() override { return inner_.outbox(); }
  Result<void> opt_out() override {
    meanwhile();
    return inner_.opt_out();
  }
  Result<void> opt_in() override { return inner_.opt_in(); }
  Result<bool> opted_out() const override { return inner_.opted_out(); }

  std::function<void()> meanwhile;

 private:
  Ledger& inner_;
};

TEST_CASE_FIXTURE(SharedFixture, "opt_out() ends a flush that begins while the ledger is opting out") {
  tests::ScriptedTransport scripted;
  InterruptedLedger interrupted(ledger);
  Client shared = Client::create(options, task, {scripted, interrupted, clock}).value();
  std::atomic<bool> asked{false};
  std::atomic<bool> ended{false};
  scripted.before_answer = [&](const ExchangeLimits& limits) {
    asked = true;
    ended = limits.cancellation->wait_for(tests::kPatience);
  };
  std::jthread flush;
  interrupted.meanwhile = [&] {
    flush = std::jthread([&] { CHECK(shared.flush(kEndless)); });
    while (!asked) std::this_thread::sleep_for(milliseconds(1));
  };
  CHECK(shared.submit(record));
  CHECK(shared.opt_out());
  flush.join();
  CHECK(ended);
}

TEST_CASE_FIXTURE(SharedFixture, "opt_out() leaves the flushes of other people alone") {
  tests::ScriptedTransport scripted;
  scripted.script = {tests::answer(204)};
  Client shared = Client::create(options, task, {scripted, ledger, clock}).value();
  tests::FakeLedger of_another;
  Client another = Client::create(options, task, {transport, of_another, clock}).value();
  bool cancelled = true;
  scripted.before_answer = [&](const ExchangeLimits& limits) {
    CHECK(another.opt_out());
    cancelled = limits.cancellation->requested();
  };
  CHECK(shared.submit(record));
  CHECK(shared.flush(kEndless)->delivered == 1);
  CHECK_FALSE(cancelled);
}

TEST_CASE_FIXTURE(DeadServer, "a forked child may destroy a client in which threads of its parent wait") {
  CHECK(hanging.submit(record));
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { CHECK(hanging.flush(kEndless)); });
  // In this time the threads begin to wait for their turn.
  std::this_thread::sleep_for(milliseconds(30));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(static_cast<unsigned>(tests::kPatience.count()));
    { const Client gone(std::move(hanging)); }
    ::_exit(0);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(hanging.opt_out());
}

TEST_CASE_FIXTURE(DeadServer, "opt_out() ends the exchange under way") {
  CHECK(hanging.submit(record));
  std::atomic<bool> over{false};
  std::jthread flusher([&] {
    CHECK(hanging.flush(kEndless)->pending == 0);
    over = true;
  });
  std::this_thread::sleep_for(milliseconds(30));
  CHECK(hanging.opt_out());
  while (!over) std::this_thread::sleep_for(milliseconds(1));
}

}  // namespace
}  // namespace hearsay::sdk
