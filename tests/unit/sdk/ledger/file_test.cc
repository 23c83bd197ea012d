// Tests the ledger's file: the rights of the file, restarts, locks, and files that the ledger refuses.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

using hearsay::tests::TemporaryDirectory;

// Runs `child` in a process made by fork(), and returns the status of the process.
template <class Child>
int status_of(const Child& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  REQUIRE(pid > 0);
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

constexpr const char* kFile = "HEARSAY_LEDGER_FILE";

// Another process runs this test.
TEST_CASE("opens the ledger that the environment names" * doctest::skip()) {
  if (getenv(kFile) == nullptr) return;
  const auto ledger = Ledger::open(options_of(getenv(kFile), policy_of(kDay)));
  _exit(ledger ? 10 : ledger.error().code == ErrorCode::kInUse ? 11 : 12);
}

bool another_process_can_open(const std::string& file) {
  const int status = status_of([&] {
    setenv(kFile, file.c_str(), 1);
    execl("/proc/self/exe", "ledger", "--test-case=opens the ledger that the environment names", "--no-skip",
          "--minimal", static_cast<char*>(nullptr));
    return 127;
  });
  REQUIRE((status == 10 || status == 11));
  return status == 10;
}

TEST_CASE("payments and waiting reports survive a restart") {
  const TemporaryDirectory directory;
  const Task task = task_of("a", "0.3");
  {
    const auto ledger = Ledger::open(options_of(directory / "l", policy_of(kDay, "1"))).value();
    REQUIRE(pay(*ledger, task, kDay, {7, 7}) == "reported");
  }
  const auto ledger = Ledger::open(options_of(directory / "l", policy_of(kDay, "1"))).value();
  CHECK(pay(*ledger, task, kDay, {8, 8}) == "already reported");
  CHECK(waiting(*ledger, task) == std::vector<ReportBytes>{{7, 7}});
  CHECK(pay(*ledger, task_of("b", "0.700001"), kDay) == "budget_exhausted");
  CHECK(pay(*ledger, task_of("b", "0.7"), kDay) == "reported");
}

TEST_CASE("the policy never gets looser") {
  const TemporaryDirectory directory;
  const auto open = [&](const LedgerPolicy& policy) {
    return outcome(Ledger::open(options_of(directory / "l", policy)));
  };
  CHECK(open(policy_of(kDay)) == "ok");
  CHECK(open(policy_of(2 * kDay)) == "invalid_argument");
  CHECK(
      Ledger::open(options_of(directory / "l", policy_of(2 * kDay)))
          .error()
          .message.ends_with(": the ledger was made with a period of 1 day, and a ledger's policy never gets looser"));
  CHECK(open(policy_of(kDay - 1)) == "invalid_argument");
  CHECK(open(policy_of(0)) == "invalid_argument");
  CHECK(open(policy_of(kDay, "2")) == "ok");  // the first budget is tighter than no budget
  CHECK(open(policy_of(kDay)) == "invalid_argument");
  CHECK(open(policy_of(kDay, "2.000001")) == "invalid_argument");
  CHECK(open(policy_of(kDay, "1.5")) == "ok");
  CHECK(open(policy_of(kDay, "2")) == "invalid_argument");
  const auto ledger = Ledger::open(options_of(directory / "l", policy_of(kDay, "1.5"))).value();
  CHECK(pay(*ledger, task_of("a", "1.6"), kDay) == "budget_exhausted");
}

TEST_CASE("only one ledger at a time can open the file") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  auto ledger = Ledger::open(options_of(file, policy_of(kDay))).value();
  CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay)))) == "in_use");
  CHECK(!another_process_can_open(file));
  ledger.reset();
  CHECK(another_process_can_open(file));
}

TEST_CASE("a child of fork() cannot use the ledger, and does not take the parent's lock") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  auto ledger = Ledger::open(options_of(file, policy_of(kDay))).value();
  const Task task = task_of("a");
  REQUIRE(pay(*ledger, task, kDay) == "reported");
  const int status = status_of([&] {
    bool refused = pay(*ledger, task_of("b"), kDay) == "in_use";
    refused = refused && outcome(ledger->outbox().pending(task.id(), kDay, 9)) == "in_use";
    refused = refused && outcome(ledger->outbox().settle(1, ReportState::kDelivered, 9, "")) == "in_use";
    refused = refused && outcome(ledger->opt_out()) == "in_use";
    refused = refused && outcome(Ledger::open(options_of(file, policy_of(kDay)))) == "in_use";
    ledger.reset();
    return refused ? 0 : 1;
  });
  CHECK(status == 0);
  CHECK(!another_process_can_open(file));
  CHECK(pay(*ledger, task_of("b"), kDay) == "reported");
  CHECK(waiting(*ledger, task).size() == 1);

  const auto in_memory = memory_ledger(policy_of(kDay));
  CHECK(status_of([&] { return pay(*in_memory, task, kDay) == "in_use" ? 0 : 1; }) == 0);
}

// A child may end in the middle of the parent's transaction. Its end must not undo or commit the transaction.
TEST_CASE("a child of fork() leaves the parent's transaction alone") {
  const TemporaryDirectory directory;
  auto ledger = Ledger::open(options_of(directory / "l", policy_of(kDay))).value();
  const auto paid = ledger->pay(task_of("a"), kDay, [&]() -> Result<ReportBytes> {
    REQUIRE(status_of([&] {
              ledger.reset();
              return 0;
            }) == 0);
    return ReportBytes{1};
  });
  CHECK(outcome(paid) == "reported");
  ledger.reset();
  ledger = Ledger::open(options_of(directory / "l", policy_of(kDay))).value();
  CHECK(waiting(*ledger, task_of("a")).size() == 1);
}

TEST_CASE("only the owner can read the file and its journal, whatever the umask is") {
  for (const mode_t mask : {mode_t{0}, mode_t{0777}}) {
    const TemporaryDirectory directory;
    const mode_t before = umask(mask);
    auto ledger = Ledger::open(options_of(directory / "l", policy_of(kDay)));
    umask(before);
    REQUIRE(ledger);
    const auto paid = (*ledger)->pay(task_of("a"), kDay, [&]() -> Result<ReportBytes> {
      for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
        struct stat status {};
        REQUIRE(stat(entry.path().c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0600);
      }
      return ReportBytes{1};
    });
    CHECK(outcome(paid) == "reported");
  }
}

TEST_CASE(
    "the ledger refuses links to files, directories and missing directories, but accepts links to the file's "
    "directory") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "real");
  std::filesystem::create_directory_symlink(directory / "real", directory / "linked");
  CHECK(outcome(Ledger::open(options_of(directory / "linked/l", policy_of(kDay)))) == "ok");
  CHECK(std::filesystem::exists(directory / "real/l"));
  std::filesystem::create_symlink(directory / "real/l", directory / "link");
  CHECK(outcome(Ledger::open(options_of(directory / "link", policy_of(kDay)))) == "io");
  std::filesystem::create_symlink(directory / "nothing", directory / "dangling");
  CHECK(outcome(Ledger::open(options_of(directory / "dangling", policy_of(kDay)))) == "io");
  CHECK(!std::filesystem::exists(directory / "nothing"));
  CHECK(outcome(Ledger::open(options_of(directory / "real", policy_of(kDay)))) == "io");
  CHECK(outcome(Ledger::open(options_of(directory / "none/l", policy_of(kDay)))) == "io");
  CHECK(outcome(Ledger::open(options_of("", policy_of(kDay)))) == "io");
}

TEST_CASE("a file that is no ledger is left alone") {
  const TemporaryDirectory directory;
  for (const std::string& content : {std::string(), std::string("not a database"), std::string(100'000, 'x')}) {
    CAPTURE(content.size());
    std::ofstream(directory / "l") << content;
    CHECK(outcome(Ledger::open(options_of(directory / "l", policy_of(kDay)))) == "ledger_damaged");
    CHECK(std::filesystem::file_size(directory / "l") == content.size());
  }
}

TEST_CASE("a ledger opens after a crash that interrupted its making") {
  const TemporaryDirectory directory;
  std::ofstream(directory / "l-new") << "";  // the crash came before the file
  CHECK(outcome(Ledger::open(options_of(directory / "l", policy_of(kDay)))) == "ok");
  CHECK(!std::filesystem::exists(directory / "l-new"));

  std::ofstream(directory / "m-new") << "";  // the crash came before the tables
  std::ofstream(directory / "m") << "";
  CHECK(outcome(Ledger::open(options_of(directory / "m", policy_of(kDay)))) == "ok");

  std::ofstream(directory / "m-new") << "";  // the crash came after the tables
  CHECK(outcome(Ledger::open(options_of(directory / "m", policy_of(kDay)))) == "ok");
  CHECK(!std::filesystem::exists(directory / "m-new"));
}

// If a process closes any descriptor of a file, the system drops the process's locks on this file.
TEST_CASE("a refused second open() does not end the lock of the first ledger") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  const auto ledger = Ledger::open(options_of(file, policy_of(kDay))).value();
  for (int i = 0; i < 3; ++i) CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay)))) == "in_use");
  CHECK(!another_process_can_open(file));
}

TEST_CASE("a file with two names (hard links) is refused") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  REQUIRE(outcome(Ledger::open(options_of(file, policy_of(kDay)))) == "ok");
  std::filesystem::create_hard_link(file, directory / "m");
  CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay)))) == "io");
  CHECK(outcome(Ledger::open(options_of(directory / "m", policy_of(kDay)))) == "io");
  std::filesystem::remove(directory / "m");
  CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay)))) == "ok");
}

TEST_CASE("names of a ledger's second files are refused, since they could belong to another ledger") {
  const TemporaryDirectory directory;
  for (const char* name : {"l-new", "l-journal", "l-wal", "l-shm", "-new"}) {
    CAPTURE(name);
    CHECK(outcome(Ledger::open(options_of(directory / name, policy_of(kDay)))) == "invalid_argument");
  }
  const std::string cut = (directory / "l").string() + std::string("\0m", 2);
  CHECK(outcome(Ledger::open(options_of(cut, policy_of(kDay)))) == "invalid_argument");
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("a file whose name ends in -new is left alone if it has content") {
  const TemporaryDirectory directory;
  REQUIRE(outcome(Ledger::open(options_of(directory / "l", policy_of(kDay)))) == "ok");
  for (const char* name : {"l-new", "m-new"}) std::ofstream(directory / name) << "precious";
  CHECK(outcome(Ledger::open(options_of(directory / "l", policy_of(kDay)))) == "ok");
  CHECK(outcome(Ledger::open(options_of(directory / "m", policy_of(kDay)))) == "io");
  CHECK(!std::filesystem::exists(directory / "m"));
  for (const char* name : {"l-new", "m-new"}) CHECK(std::filesystem::file_size(directory / name) == 8);
}

TEST_CASE("open_existing() keeps the policy and makes no file") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  CHECK(outcome(Ledger::open_existing(file)) == "io");
  CHECK(std::filesystem::is_empty(directory.path()));
  REQUIRE(outcome(Ledger::open(options_of(file, policy_of(kDay, "1")))) == "ok");
  {
    const auto ledger = Ledger::open_existing(file).value();
    CHECK(pay(*ledger, task_of("a", "1.1"), kDay) == "budget_exhausted");
    CHECK(pay(*ledger, task_of("a"), kDay) == "reported");
    CHECK(ledger->opt_out());
  }
  CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay, "2")))) == "invalid_argument");
  const auto ledger = Ledger::open(options_of(file, policy_of(kDay, "1"))).value();
  CHECK(*ledger->opted_out());
  std::ofstream(directory / "m-new") << "";  // the making of this ledger was interrupted
  std::ofstream(directory / "m") << "";
  CHECK(outcome(Ledger::open_existing(directory / "m")) == "ledger_damaged");
}

TEST_CASE("if the file is removed while the ledger is open, the ledger pays for nothing") {
  const TemporaryDirectory directory;
  const auto ledger = Ledger::open(options_of(directory / "l", policy_of(kDay))).value();
  std::filesystem::remove(directory / "l");
  CHECK(pay(*ledger, task_of("a"), kDay) == "io");
}

}  // namespace
}  // namespace hearsay::sdk::tests
