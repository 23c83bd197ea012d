// Kills the writing process with SIGKILL in the middle of appends.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {
namespace {

constexpr const char* kDirectory = "HEARSAY_CRASH_DIRECTORY";
constexpr const char* kFirstReport = "HEARSAY_CRASH_FIRST";
constexpr const char* kPipe = "HEARSAY_CRASH_PIPE";

struct Acknowledgement {
  std::uint64_t from;
  std::uint64_t to;
};

// The test below runs this test in another process until it kills the process. A forked process would lack RocksDB's
// threads.
TEST_CASE("appends until it is killed" * doctest::skip()) {
  if (getenv(kDirectory) == nullptr) return;
  const int pipe = std::stoi(getenv(kPipe));
  const auto store = open_store(getenv(kDirectory));
  const Task task = make_task("crash", 64);
  constexpr std::uint64_t kSizes[] = {1, 7, 1, 40, 2500, 1, 300};  // so a kill can fall into a large batch
  std::uint64_t from = std::stoull(getenv(kFirstReport));
  for (std::size_t i = 0; true; ++i) {
    const std::uint64_t to = from + kSizes[i % std::size(kSizes)];
    append_new(*store, task, make_reports(task, from, to, 3));
    const Acknowledgement done{from, to};
    if (write(pipe, &done, sizeof(done)) != sizeof(done)) return;
    from = to;
  }
}

pid_t start_child(const std::string& directory, std::uint64_t first, int pipe) {
  const std::vector<std::string> environment = {std::string(kDirectory) + "=" + directory,
                                                std::string(kFirstReport) + "=" + std::to_string(first),
                                                std::string(kPipe) + "=" + std::to_string(pipe)};
  std::vector<char*> pointers;
  for (const std::string& variable : environment) pointers.push_back(const_cast<char*>(variable.c_str()));
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execle("/proc/self/exe", "crash", "--test-case=appends until it is killed", "--no-skip", "--minimal",
           static_cast<char*>(nullptr), pointers.data());
    _exit(127);
  }
  REQUIRE(child > 0);
  return child;
}

// Starts a child that appends. Kills the child `delay` after it has acknowledged `count` batches. Returns the
// acknowledged batches.
std::vector<Acknowledgement> run_and_kill(const std::string& directory, std::uint64_t first, std::size_t count,
                                          std::chrono::microseconds delay) {
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  REQUIRE(fcntl(pipe[0], F_SETFD, FD_CLOEXEC) == 0);
  const pid_t child = start_child(directory, first, pipe[1]);
  close(pipe[1]);
  std::vector<Acknowledgement> acknowledged;
  Acknowledgement next{};
  bool killed = false;
  while (read(pipe[0], &next, sizeof(next)) == sizeof(next)) {  // the pipe writes this size whole or not at all
    acknowledged.push_back(next);
    if (!killed && acknowledged.size() >= count) {
      std::this_thread::sleep_for(delay);
      REQUIRE(kill(child, SIGKILL) == 0);
      killed = true;
    }
  }
  close(pipe[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == SIGKILL);
  return acknowledged;
}

TEST_CASE("in 20 rounds of kill -9 every acknowledged report is counted exactly once") {
  constexpr int kRounds = 20;
  const TemporaryDirectory dir;
  const Task task = make_task("crash", 64);
  { REQUIRE(open_store(dir / "s")->add_task(task)); }
  std::uint64_t first = 0;
  std::set<std::uint64_t> acknowledged;
  for (int round = 0; round < kRounds; ++round) {
    CAPTURE(round);
    const auto batches =
        run_and_kill(dir / "s", first, 1 + round * 5 % 11, std::chrono::microseconds(round * 397 % 5000));
    for (const Acknowledgement& batch : batches) {
      for (std::uint64_t i = batch.from; i < batch.to; ++i) acknowledged.insert(i);
    }
    const auto store = open_store(dir / "s");
    const std::uint64_t stored = verified_reports(*store);
    // The batch after the last acknowledged batch may be stored, but only whole.
    CHECK(stored >= acknowledged.size());
    first = batches.back().to;
    const std::uint64_t unacknowledged = stored - acknowledged.size();
    CHECK(unacknowledged <= 2500);
    for (std::uint64_t i = first; i < first + unacknowledged; ++i) acknowledged.insert(i);
    first += unacknowledged;
  }
  const auto store = open_store(dir / "s");
  std::vector<Report> reports;
  for (const std::uint64_t i : acknowledged) reports.push_back(make_report(task, i, i % 3));
  const auto stored = stored_reports(*store, task);
  REQUIRE(stored.size() == reports.size());
  for (const Report& report : reports) CHECK(stored.at({report.time, report.id}) == report);
  CHECK(whole_tally(*store, task).encode() == tally_of(task, reports).encode());
}

}  // namespace
}  // namespace hearsay::store::rocks::tests
