// Kills the daemon with SIGKILL under load, again and again. The tally must count every acknowledged report exactly
// once.
#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "aggregator/store/rocks/rocks.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "tests/e2e/killable_daemon.h"
#include "tests/support/patience.h"

namespace hearsay::e2e {
namespace {

constexpr int kClients = 8;

std::string text(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

// Clients that send reports, and remember which reports the daemon has acknowledged.
class Senders {
 public:
  explicit Senders(const Task& task) : task_(task) {}

  // Sends fresh reports, and now and then an old report again. Ends when the test says so, or when the connection
  // breaks.
  void run(sdk::Transport& transport, unsigned seed) {
    std::minstd_rand choice(seed);
    const Record record = Record::create(task_.schema(), {1, 0}).value();
    while (!stopping) {
      const auto report = randomize(task_, record, make_system_clock()->now(), system_bit_source());
      std::vector<std::uint8_t> bytes;
      append_report(report.value(), bytes);
      {
        const std::lock_guard lock(mutex_);
        sent_.push_back(bytes);
        if (choice() % 4 == 0) bytes = sent_[choice() % sent_.size()];
      }
      const auto answer = transport.post(path_of(task_, "/reports"), kCbor, bytes, {tests::kPatience});
      if (!answer || (answer->status != 200 && answer->status != 204)) return;
      const std::lock_guard lock(mutex_);
      acknowledged_.insert(text(bytes));
    }
  }

  std::vector<std::vector<std::uint8_t>> sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  std::set<std::string> acknowledged() {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }
  void wait_for_more(std::size_t count) {
    const std::size_t before = acknowledged().size();
    CHECK(http::eventually([&] { return acknowledged().size() >= before + count; }));
  }
  std::atomic<bool> stopping{false};

 private:
  Task task_;
  std::mutex mutex_;
  std::vector<std::vector<std::uint8_t>> sent_;
  std::set<std::string> acknowledged_;
};

Task task_for_now() {
  const UnixSeconds today = make_system_clock()->now() / tests::kDay * tests::kDay;
  return Task::create({"crash test", tests::schema_of("b b"), LiteralsSpec{}, LaplaceSpec{},
                       Epsilon::parse("1").value(), today, 3 * tests::kDay, tests::kDay, 1})
      .value();
}

void run_round(KillableDaemon& daemon, Senders& senders, std::chrono::microseconds until_kill, unsigned seed) {
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      const auto transport = daemon.transport();
      senders.run(*transport, seed * kClients + i + 1);
    });
  }
  senders.wait_for_more(2);
  std::this_thread::sleep_for(until_kill);
  daemon.kill();
}

// Returns HEARSAY_CRASH_ROUNDS; without it, 20.
int rounds() {
  const char* text = std::getenv("HEARSAY_CRASH_ROUNDS");
  return text == nullptr ? 20 : std::atoi(text);
}

TEST_CASE("kill -9 at random moments loses nothing that was acknowledged and counts nothing twice") {
  KillableDaemon daemon;
  const Task task = task_for_now();
  REQUIRE(daemon.admin("POST", "/v1/tasks", task.canonical_json()));
  Senders senders(task);
  std::minstd_rand moments(20);
  for (int round = 0; round < rounds(); ++round) {
    run_round(daemon, senders, std::chrono::microseconds(moments() % 200'000), static_cast<unsigned>(round));
    daemon.start();
    const std::uint64_t counted = reports_in_tally(daemon, task);
    CHECK(counted >= senders.acknowledged().size());
    CHECK(counted <= senders.sent().size());
  }
  CHECK(senders.acknowledged().size() > 20);

  // The test sends all reports again. The daemon calls a counted report replayed, and accepts the others. In the end
  // the daemon has counted each report once.
  const auto transport = daemon.transport();
  const auto acknowledged = senders.acknowledged();
  for (const auto& bytes : senders.sent()) {
    const auto answer = transport->post(path_of(task, "/reports"), kCbor, bytes, {tests::kPatience});
    REQUIRE(answer);
    REQUIRE((answer->status == 200 || answer->status == 204));  // 204: no report was rejected
    if (answer->status == 200 && acknowledged.contains(text(bytes))) {
      CHECK(answer->body.find("\"status\":\"replayed\"") != std::string::npos);
    }
  }
  CHECK(reports_in_tally(daemon, task) == senders.sent().size());
  CHECK(daemon.terminate() == 0);

  const auto store = store::rocks::open({.path = daemon.store(), .read_only = true});
  REQUIRE(store);
  const auto verified = store::verify(**store);
  REQUIRE(verified);
  CHECK(verified->reports == senders.sent().size());
  CHECK(verified->differences == std::vector<std::string>{});
}

TEST_CASE("after kill -9, hearsay repair finds no lost commit, and without the file `newest` it refuses") {
  KillableDaemon daemon;
  const Task task = task_for_now();
  REQUIRE(daemon.admin("POST", "/v1/tasks", task.canonical_json()));
  daemon.kill();
  const Output whole = run(kHearsay, {"repair", daemon.store()});
  CHECK(whole.status == 0);
  CHECK(whole.text.find("\"lost_commits\": 0") != std::string::npos);
  std::filesystem::remove(daemon.store() + "/newest");
  CHECK(run(kHearsay, {"verify", daemon.store()}).text.find("newest is missing") != std::string::npos);
  CHECK(run(kHearsay, {"repair", daemon.store()}).status == 1);
  CHECK(run(kHearsay, {"repair", daemon.store(), "--drop-damaged-tail"}).status == 0);
  CHECK(run(kHearsay, {"verify", daemon.store()}).status == 0);
}

TEST_CASE("SIGTERM lets requests under way finish") {
  KillableDaemon daemon;
  const Task task = task_for_now();
  REQUIRE(daemon.admin("POST", "/v1/tasks", task.canonical_json()));
  Senders senders(task);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kClients; ++i) {
      threads.emplace_back([&, i] {
        const auto transport = daemon.transport();
        senders.run(*transport, i + 1);
      });
    }
    senders.wait_for_more(2);
    CHECK(daemon.terminate() == 0);
  }
  const auto acknowledged = senders.acknowledged();
  CHECK(!acknowledged.empty());
  daemon.start();
  CHECK(reports_in_tally(daemon, task) >= acknowledged.size());
}

}  // namespace
}  // namespace hearsay::e2e
