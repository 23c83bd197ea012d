// Kills a process with SIGKILL in the middle of payments. Each report must have exactly one debit.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

constexpr const char* kKilledFile = "HEARSAY_KILLED_LEDGER";
constexpr const char* kKilledPipe = "HEARSAY_KILLED_PIPE";
constexpr const char* kRounds = "HEARSAY_LEDGER_ROUNDS";

struct Said {
  std::uint64_t period;
  std::uint8_t drawn;
  bool is_shown;  // the outbox returned the report, so it may have been sent
};

LedgerOptions killed_options(const std::string& file) {
  LedgerOptions options = options_of(file, policy_of(kDay, "1"));
  options.outbox = {.max_reports = 100'000, .max_age = std::chrono::hours(24 * 10'000), .max_logged = 100'000};
  return options;
}

ReportBytes random_report() {
  std::random_device random;
  return {static_cast<std::uint8_t>(random()), 1, 2, 3};
}

// Pays in one period after another, and also again in paid periods. Settles every second report.
TEST_CASE("pays until it is killed" * doctest::skip()) {
  if (getenv(kKilledFile) == nullptr) return;
  const int pipe = std::stoi(getenv(kKilledPipe));
  const auto ledger = Ledger::open(killed_options(getenv(kKilledFile))).value();
  const Task task = task_of("a");
  const auto log = ledger->outbox().log(1);
  const std::uint64_t last = log->empty() ? 0 : log->front().made / kDay;
  for (std::uint64_t period = last > 2 ? last - 2 : 1; true; ++period) {
    ReportBytes drawn = random_report();
    const auto paid = ledger->pay(task, period * kDay, makes(drawn));
    Said said{period, drawn[0], false};
    if (paid && *paid == Payment::kReported && write(pipe, &said, sizeof(said)) != sizeof(said)) return;
    const auto pending = ledger->outbox().pending(task.id(), period * kDay, 100'000);
    if (pending->empty()) continue;
    const PendingReport& newest = pending->back();
    said = {static_cast<std::uint64_t>(newest.number), newest.bytes[0], true};
    if (write(pipe, &said, sizeof(said)) != sizeof(said)) return;
    if (period % 2 == 0) {
      static_cast<void>(ledger->outbox().settle(newest.number, ReportState::kDelivered, period * kDay, ""));
    }
  }
}

// Starts a child that pays. Kills the child `delay` after its first message, and returns its messages.
std::vector<Said> pay_and_kill(const std::string& file, std::chrono::microseconds delay) {
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  REQUIRE(fcntl(pipe[0], F_SETFD, FD_CLOEXEC) == 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv(kKilledFile, file.c_str(), 1);
    setenv(kKilledPipe, std::to_string(pipe[1]).c_str(), 1);
    execl("/proc/self/exe", "ledger", "--test-case=pays until it is killed", "--no-skip", "--minimal",
          static_cast<char*>(nullptr));
    _exit(127);
  }
  REQUIRE(child > 0);
  close(pipe[1]);
  std::vector<Said> all;
  Said said{};
  while (read(pipe[0], &said, sizeof(said)) == sizeof(said)) {  // writes of this size are atomic
    if (all.empty()) {
      std::this_thread::sleep_for(delay);
      REQUIRE(kill(child, SIGKILL) == 0);
    }
    all.push_back(said);
  }
  close(pipe[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == SIGKILL);
  return all;
}

// The number of rounds is 20 by default.
TEST_CASE("kill -9 leaves each report with its debit, and no report is doubled or lost") {
  const hearsay::tests::TemporaryDirectory directory;
  const std::string file = directory / "l";
  const int rounds = getenv(kRounds) == nullptr ? 20 : std::stoi(getenv(kRounds));
  std::mt19937 random(17);
  std::map<std::uint64_t, std::uint8_t> of_period;  // reports that pay() called paid
  std::map<std::uint64_t, std::uint8_t> of_number;  // reports that the outbox returned
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const std::vector<Said> all = pay_and_kill(file, std::chrono::microseconds(random() % 20'000));
    REQUIRE(!all.empty());
    for (const Said& said : all) {
      auto& known = said.is_shown ? of_number : of_period;
      CHECK(known.emplace(said.period, said.drawn).first->second == said.drawn);
    }
    const auto opened = Ledger::open(killed_options(file));
    REQUIRE_MESSAGE(opened, opened.error().message);
    const auto log = opened.value()->outbox().log(100'000);
    std::map<std::uint64_t, std::uint8_t> periods;
    std::map<std::uint64_t, std::uint8_t> numbers;
    for (const LoggedReport& report : *log) {
      CHECK(periods.emplace(report.made / kDay, report.bytes[0]).second);  // one report in each period
      numbers.emplace(report.number, report.bytes[0]);
    }
    for (const auto& [period, drawn] : of_period) CHECK(periods.at(period) == drawn);
    for (const auto& [number, drawn] : of_number) CHECK(numbers.at(number) == drawn);
  }
}

}  // namespace
}  // namespace hearsay::sdk::tests
