// Tests what the ledger does after one failure of the disk: it opens its file anew.
#include <filesystem>

#include "tests/support/failing_vfs.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

using hearsay::tests::FailingDisk;
using hearsay::tests::TemporaryDirectory;

class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::filesystem::path& path) { std::filesystem::current_path(path); }
  ~WorkingDirectory() { std::filesystem::current_path(before_); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

void fail_once(FailingDisk& disk, Ledger& ledger, const Task& task) {
  disk.fail({1, false, 1});
  CHECK(pay(ledger, task, kDay) == "io");
  disk.fail({});
}

TEST_CASE("a relative file name means the same file after the process has changed its directory") {
  const TemporaryDirectory directory;
  for (const char* name : {"a", "b", "empty"}) std::filesystem::create_directory(directory / name);
  const LedgerOptions options = options_of("l", policy_of(kDay));
  FailingDisk disk;
  const WorkingDirectory in_b(directory / "b");
  REQUIRE(outcome(Ledger::open(options)) == "ok");  // another person's ledger
  std::filesystem::current_path(directory / "a");
  const auto ledger = Ledger::open(options).value();
  REQUIRE(pay(*ledger, task_of("a"), kDay) == "reported");
  for (const char* name : {"b", "empty"}) {
    std::filesystem::current_path(directory / name);
    fail_once(disk, *ledger, task_of(name));
    CHECK(pay(*ledger, task_of("a"), kDay) == "already reported");
    CHECK(pay(*ledger, task_of(name), kDay) == "reported");
  }
  CHECK(std::filesystem::is_empty(directory / "empty"));
}

TEST_CASE("another file in the place of the ledger is not opened, and no new ledger is made") {
  const TemporaryDirectory directory;
  const LedgerOptions options = options_of(directory / "l", policy_of(kDay));
  FailingDisk disk;
  REQUIRE(outcome(Ledger::open(options_of(directory / "other", policy_of(kDay)))) == "ok");
  const auto ledger = Ledger::open(options).value();
  REQUIRE(pay(*ledger, task_of("a"), kDay) == "reported");
  fail_once(disk, *ledger, task_of("b"));
  std::filesystem::rename(directory / "l", directory / "away");
  CHECK(pay(*ledger, task_of("a"), kDay) == "io");
  CHECK(!std::filesystem::exists(directory / "l"));
  std::filesystem::rename(directory / "other", directory / "l");
  CHECK(pay(*ledger, task_of("a"), kDay) == "io");
  std::filesystem::rename(directory / "away", directory / "l");
  CHECK(pay(*ledger, task_of("a"), kDay) == "already reported");
  CHECK(pay(*ledger, task_of("b"), kDay) == "reported");
}

bool holds(const std::string& file, const std::string& pattern) {
  return content_of(file).find(pattern) != std::string::npos;
}

// The test changes the first report on the disk. The payments below do not read this row.
TEST_CASE("the whole file is checked after a failure of the disk, but not without one") {
  for (const bool fails : {true, false}) {
    CAPTURE(fails);
    const TemporaryDirectory directory;
    const LedgerOptions options = options_of(directory / "l", policy_of(kDay));
    FailingDisk disk;
    const auto ledger = Ledger::open(options).value();
    const std::string pattern = "the bytes of the first report";
    REQUIRE(pay(*ledger, task_of("a"), kDay, ReportBytes(pattern.begin(), pattern.end())) == "reported");
    if (fails) fail_once(disk, *ledger, task_of("b"));
    const std::size_t place = content_of(options.file).find(pattern);
    REQUIRE(place != std::string::npos);
    std::fstream changed(options.file, std::ios::binary | std::ios::in | std::ios::out);
    changed.seekp(static_cast<std::streamoff>(place)).put('T');
    changed.close();
    CHECK(pay(*ledger, task_of("c"), kDay) == (fails ? "ledger_damaged" : "reported"));
  }
}

// Makes the operations of a payment fail, from the `at`-th on. Returns true if the payment still succeeded.
bool pay_with_failure(std::uint64_t at, std::size_t size) {
  const TemporaryDirectory directory;
  FailingDisk disk;
  const LedgerOptions options = options_of(directory / "l", policy_of(kDay));
  auto ledger = Ledger::open(options).value();
  REQUIRE(pay(*ledger, task_of("a"), kDay, ReportBytes(size, 7)) == "reported");
  REQUIRE(ledger->opt_out());  // frees the pages of the first report
  REQUIRE(ledger->opt_in());
  const std::string pattern = "a pattern that is nowhere else";
  ReportBytes bytes;
  while (bytes.size() < size) bytes.insert(bytes.end(), pattern.begin(), pattern.end());
  disk.fail({at, false, UINT64_MAX});
  const bool paid = pay(*ledger, task_of("b"), kDay, bytes) == "reported";
  disk.fail({});
  const auto log = ledger->outbox().log(9).value();
  if (log.empty()) {
    CHECK(!holds(options.file, pattern));
    CHECK(!holds(options.file + "-journal", pattern));
  }
  return paid;
}

TEST_CASE("a failed payment leaves no bytes of its report") {
  for (const std::size_t size : {100U, 20'000U}) {
    CAPTURE(size);
    std::uint64_t at = 1;
    while (!pay_with_failure(at, size)) ++at;
    CHECK(at > 5);
  }
}

}  // namespace
}  // namespace hearsay::sdk::tests
