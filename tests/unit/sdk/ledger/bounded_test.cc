// Tests the size of a ledger's file after many payments.
#include <filesystem>

#include "tests/support/failing_vfs.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

TEST_CASE("2,000 payments, in 2,000 periods or to 2,000 tasks, leave a small file") {
  const hearsay::tests::TemporaryDirectory directory;
  const hearsay::tests::FailingDisk disk;  // does not sync, because syncs would take minutes
  LedgerOptions options = options_of(directory / "periods", policy_of(1, "64"));
  options.outbox.max_logged = 100;
  const ReportBytes bytes(100, 1);
  {
    const auto ledger = Ledger::open(options).value();
    const Task task = task_of("a");
    for (std::uint64_t time = 1; time <= 2'000; ++time) {
      REQUIRE(pay(*ledger, task, time, bytes) == "reported");
      REQUIRE(ledger->outbox().settle(static_cast<std::int64_t>(time), ReportState::kDelivered, time, ""));
    }
  }
  CHECK(std::filesystem::file_size(options.file) < 100'000);

  options = options_of(directory / "tasks", policy_of(0));
  options.outbox.max_logged = 100;
  const auto ledger = Ledger::open(options).value();
  for (int i = 1; i <= 2'000; ++i) {
    REQUIRE(pay(*ledger, task_of(std::to_string(i)), 1, bytes) == "reported");
    REQUIRE(ledger->outbox().settle(i, ReportState::kDelivered, 1, ""));
  }
  CHECK(std::filesystem::file_size(options.file) < 400'000);
  CHECK(pay(*ledger, task_of("1"), 2, bytes) == "already reported");
}

}  // namespace
}  // namespace hearsay::sdk::tests
