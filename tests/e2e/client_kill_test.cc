// Kills clients of a real daemon at random moments of submit() and flush(). The clients' disks fail. The test checks
// that the daemon never counts more reports than the ledgers have paid for. In the end the daemon must have counted
// each queued report once.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "common/report/report.h"
#include "hearsay/client.h"
#include "tests/e2e/killable_daemon.h"
#include "tests/support/failing_vfs.h"
#include "tests/support/golden.h"

namespace hearsay::e2e {
namespace {

using sdk::Payment;
using sdk::ReportState;
using tests::FailingDisk;
using Moment = std::chrono::steady_clock;

constexpr const char* kOrders = "HEARSAY_KILLED_CLIENT";
constexpr int kTasks = 8;
constexpr int kCharged = 6;

enum Trouble : int {
  kNone,
  kFailingDisk,  // some writes, syncs and truncations fail
  kFullDisk,     // the disk is full, so many writes fail
  kFileLimit,    // the system limits the file's size
  kPowerLoss,    // the disk fails for good, and unsynced bytes are lost, all or in part
  kTroubles
};

// A message that a client writes to the pipe for the test process.
struct Said {
  int task;  // number of the task whose report was queued; -1: the client begins
  ReportId id;
};

sdk::LedgerOptions ledger_options(const std::string& file) {
  sdk::LedgerOptions options;
  options.file = file;
  options.policy.budget = Epsilon::parse(std::to_string(kCharged)).value();
  return options;
}

ReportId id_of(const sdk::ReportBytes& bytes) {
  std::span<const std::uint8_t> rest(bytes);
  return read_report(rest).value().id;
}

// Loses some requests, and the answers to some other requests.
class LossyTransport final : public sdk::Transport {
 public:
  LossyTransport(std::unique_ptr<sdk::Transport> inner, unsigned seed) : inner_(std::move(inner)), random_(seed) {}

  Result<sdk::TransportResponse> get(std::string_view path, const sdk::ExchangeLimits& limits) override {
    return inner_->get(path, limits);
  }
  Result<sdk::TransportResponse> post(std::string_view path, std::string_view content_type,
                                      std::span<const std::uint8_t> body, const sdk::ExchangeLimits& limits) override {
    const unsigned drawn = draw();
    const Error lost{ErrorCode::kConnectionFailed, "lost"};
    if (drawn == 0) return lost;
    auto answer = inner_->post(path, content_type, body, limits);
    if (drawn == 1) return lost;
    return answer;
  }

 private:
  unsigned draw() {
    const std::lock_guard lock(mutex_);
    return static_cast<unsigned>(random_() % 6);
  }
  std::unique_ptr<sdk::Transport> inner_;
  std::mutex mutex_;
  std::mt19937 random_;
};

// One life of a person's app. A life ends when all reports are delivered, or when the app is killed or loses its power.
class Life {
 public:
  explicit Life(const Json& orders)
      : file_(orders.at("file")),
        pipe_(orders.at("pipe")),
        trouble_(orders.at("trouble")),
        random_(orders.at("seed").get<unsigned>()) {
    for (int i = 0; i < kTasks; ++i) {
      const std::string path = orders.at("tasks").get<std::string>() + "/" + std::to_string(i);
      tasks_.push_back(Task::parse(tests::read_file(path)).value());
    }
    auto network = sdk::make_https_transport(
        {.host = "localhost", .port = orders.at("port"), .ca_file = orders.at("ca"), .timeout = tests::kPatience});
    transport_ = std::make_unique<LossyTransport>(std::move(network).value(), static_cast<unsigned>(random_()));
  }

  [[noreturn]] void live() {
    say(-1, {});
    begin_trouble();
    while (!live_once()) {
      if (trouble_ == kPowerLoss) break;
      end_file_limit();
    }
    if (trouble_ == kPowerLoss) {
      disk_->fail({});
      disk_->lose_power(random_() % 2 == 0 ? 0 : static_cast<unsigned>(random_()));
      ::raise(SIGKILL);
    }
    _exit(0);
  }

 private:
  void say(int task, const ReportId& id) const {
    const Said said{task, id};
    if (::write(pipe_, &said, sizeof(said)) != sizeof(said)) _exit(1);
  }

  void begin_trouble() {
    if (trouble_ == kFileLimit) {
      ::signal(SIGXFSZ, SIG_IGN);
      struct stat status {};
      const bool is_there = ::stat(file_.c_str(), &status) == 0;
      set_file_limit((is_there ? static_cast<rlim_t>(status.st_size) : 0) + random_() % 24'000);
    } else if (trouble_ != kNone) {
      disk_.emplace();
      const std::uint64_t times = trouble_ == kPowerLoss  ? UINT64_MAX
                                  : trouble_ == kFullDisk ? 20 + random_() % 200
                                                          : 1 + random_() % 4;
      disk_->fail({1 + random_() % 150, trouble_ == kFullDisk, times});
    }
  }
  void end_file_limit() {
    if (trouble_ == kFileLimit) set_file_limit(RLIM_INFINITY);
  }
  static void set_file_limit(rlim_t bytes) {
    const rlimit limit{bytes, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }

  // Opens the ledger, and submits and flushes for all tasks. Returns true if all paid reports are delivered.
  bool live_once() {
    const auto ledger = sdk::Ledger::open(ledger_options(file_));
    if (!ledger) return false;
    std::vector<int> order(kTasks);
    for (int i = 0; i < kTasks; ++i) order[static_cast<std::size_t>(i)] = i;
    std::shuffle(order.begin(), order.end(), random_);
    for (const int i : order) report(**ledger, i);
    for (const int i : order) flush(**ledger, i);
    const auto log = ledger.value()->outbox().log(kTasks);
    if (!log || log->size() != kCharged) return false;
    return std::all_of(log->begin(), log->end(),
                       [](const sdk::LoggedReport& one) { return one.state == ReportState::kDelivered; });
  }

  const Task& task(int i) const { return tasks_[static_cast<std::size_t>(i)]; }

  sdk::Client client(sdk::Ledger& ledger, int i) {
    sdk::ClientOptions options{task(i).id(), task(i).epsilon(), {}, "", {}};
    options.retry = {.first = std::chrono::milliseconds(1), .max_uploads_per_minute = 1'000'000};
    return sdk::Client::create(options, task(i), {*transport_, ledger, *clock_}).value();
  }

  void report(sdk::Ledger& ledger, int i) {
    sdk::Client reporting = client(ledger, i);
    const auto paid = reporting.submit(Record::create(task(i).schema(), {i % 2 == 0 ? 1U : 0U}).value());
    if (paid && *paid == Payment::kReported) {
      const auto waiting = ledger.outbox().pending(task(i).id(), clock_->now(), 1);
      if (waiting && !waiting->empty()) say(i, id_of(waiting->front().bytes));
    }
    if (random_() % 2 == 0) flush(ledger, i);
  }

  void flush(sdk::Ledger& ledger, int i) {
    const auto once = [&] { static_cast<void>(client(ledger, i).flush(tests::kPatience)); };
    std::optional<std::jthread> other;
    if (random_() % 4 == 0) other.emplace(once);
    once();
  }

  std::string file_;
  int pipe_;
  int trouble_;
  std::mt19937 random_;
  std::optional<FailingDisk> disk_;  // must be constructed before the objects that open files on this disk
  std::vector<Task> tasks_;
  std::unique_ptr<sdk::Transport> transport_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
};

TEST_CASE("the child process of the next test reports until it is killed" * doctest::skip()) {
  if (const char* orders = std::getenv(kOrders)) Life(parse_json(orders).value()).live();
}

// The aggregator, and what all people together have reported.
class World {
 public:
  World() {
    const UnixSeconds today = make_system_clock()->now() / tests::kDay * tests::kDay;
    for (int i = 0; i < kTasks; ++i) {
      TaskSpec spec = tests::small_task("b").spec();
      spec.title = "task " + std::to_string(i);
      spec.task_start = today;
      tasks_.push_back(Task::create(std::move(spec)).value());
      std::ofstream(directory_ / std::to_string(i)) << tasks_.back().canonical_json();
      REQUIRE(daemon_.admin("POST", "/v1/tasks", tasks_.back().canonical_json()));
    }
  }

  // Runs all lives of one person. Returns how many of these lives were cut short.
  int live(std::mt19937& random, int most) {
    const tests::TemporaryDirectory home;
    const std::string file = home / "ledger";
    std::map<int, ReportId> known;
    for (int killed = 0;; ++killed) {
      // Every tenth person's first life is not killed, so that the test learns how long a life takes on this machine.
      const bool measures = killed == 0 && people_++ % 10 == 0;
      const int trouble = measures || killed >= most ? kNone : static_cast<int>(random() % kTroubles);
      const bool ended = run(file, trouble, measures || killed >= most, random, known);
      const std::vector<std::uint64_t> charged = check(file, known, ended);
      if (!ended) continue;
      for (std::size_t i = 0; i < tasks_.size(); ++i) charged_[i] += charged[i];
      return killed;
    }
  }

  // Checks that each task's tally counts as many reports as were paid for.
  void finish(int kills) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      CHECK(reports_in_tally(daemon_, tasks_[i]) == charged_[i]);
      all += charged_[i];
    }
    CHECK(all == static_cast<std::uint64_t>(people_ * kCharged));
    MESSAGE(kills << " kills, " << people_ << " people, " << all << " reports paid for and counted, none twice");
  }

 private:
  // Runs one life in a child process. Kills the process after a random time, unless `is_spared` or the process kills
  // itself (kPowerLoss). Returns true if the process was not killed.
  bool run(const std::string& file, int trouble, bool is_spared, std::mt19937& random, std::map<int, ReportId>& known) {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    REQUIRE(fcntl(pipe[0], F_SETFD, FD_CLOEXEC) == 0);
    const Json orders{{"file", file},
                      {"pipe", pipe[1]},
                      {"trouble", trouble},
                      {"seed", random()},
                      {"tasks", directory_.path().string()},
                      {"port", daemon_.port()},
                      {"ca", daemon_.ca_file()}};
    const std::string text = orders.dump();
    const pid_t child = fork();
    if (child == 0) {
      setenv(kOrders, text.c_str(), 1);
      execl("/proc/self/exe", "programs", "--test-case=the child process of the next test reports until it is killed",
            "--no-skip", "--minimal", static_cast<char*>(nullptr));
      _exit(127);
    }
    REQUIRE(child > 0);
    close(pipe[1]);
    Said said{};
    REQUIRE(read(pipe[0], &said, sizeof(said)) == sizeof(said));
    const auto start = Moment::now();
    if (!is_spared && trouble != kPowerLoss) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<std::uint64_t>(life_.count() + 1)));
      kill(child, SIGKILL);
    }
    while (read(pipe[0], &said, sizeof(said)) == sizeof(said)) {  // a pipe never splits a write of this size
      CHECK(known.emplace(said.task, said.id).first->second == said.id);
    }
    close(pipe[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (is_spared) life_ = std::chrono::duration_cast<std::chrono::microseconds>(Moment::now() - start);
    if (WIFEXITED(status)) {
      CHECK(WEXITSTATUS(status) == 0);
      return true;
    }
    CHECK(WTERMSIG(status) == SIGKILL);
    return false;
  }

  // Returns for each task how many reports this person has paid for.
  std::vector<std::uint64_t> check(const std::string& file, std::map<int, ReportId>& known, bool ended) {
    const auto ledger = sdk::Ledger::open(ledger_options(file));
    REQUIRE_MESSAGE(ledger, ledger.error().message);
    const auto log = ledger.value()->outbox().log(100).value();
    CHECK(log.size() <= kCharged);
    if (ended) CHECK(log.size() == kCharged);
    std::map<int, ReportId> paid;
    std::vector<std::uint64_t> charged(tasks_.size());
    for (const sdk::LoggedReport& one : log) {
      int i = 0;
      while (tasks_.at(static_cast<std::size_t>(i)).id() != one.task) ++i;
      CHECK(paid.emplace(i, id_of(one.bytes)).second);
      CHECK(one.state != ReportState::kDropped);
      if (ended) CHECK(one.state == ReportState::kDelivered);
      ++charged[static_cast<std::size_t>(i)];
    }
    for (const auto& [task, id] : known) {  // the ledger holds every report that a life queued, unchanged
      REQUIRE(paid.count(task) == 1);
      CHECK(paid.at(task) == id);
    }
    known = paid;  // open() has made these payments durable
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const std::uint64_t counted = reports_in_tally(daemon_, tasks_[i]);
      CHECK(counted <= charged_[i] + charged[i]);
      if (ended) CHECK(counted == charged_[i] + charged[i]);
    }
    return charged;
  }

  KillableDaemon daemon_;
  tests::TemporaryDirectory directory_;
  std::vector<Task> tasks_;
  std::vector<std::uint64_t> charged_ = std::vector<std::uint64_t>(kTasks);
  int people_ = 0;
  std::chrono::microseconds life_{0};
};

// HEARSAY_CLIENT_ROUNDS is the number of kills; without it, 12.
TEST_CASE("kill -9 of clients: each charged report is counted once, and none is lost") {
  const char* text = std::getenv("HEARSAY_CLIENT_ROUNDS");
  const int rounds = text == nullptr ? 12 : std::atoi(text);
  World world;
  std::mt19937 random(18);
  int kills = 0;
  while (kills < rounds) kills += world.live(random, rounds - kills);
  world.finish(kills);
}

}  // namespace
}  // namespace hearsay::e2e
