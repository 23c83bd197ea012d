#include <filesystem>

#include "tests/support/failing_vfs.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

using hearsay::tests::FailingDisk;
using hearsay::tests::TemporaryDirectory;

TEST_CASE("opting out is permanent, removes waiting reports and the log, and gives no budget back") {
  const TemporaryDirectory directory;
  const LedgerOptions options = options_of(directory / "l", policy_of(kDay));
  auto ledger = Ledger::open(options).value();
  REQUIRE(pay(*ledger, task_of("a"), kDay) == "reported");
  REQUIRE(ledger->opt_out());
  REQUIRE(ledger->opt_out());  // a second opt_out() changes nothing
  for (int round = 0; round < 2; ++round) {
    CHECK(*ledger->opted_out());
    CHECK(waiting(*ledger, task_of("a")).empty());
    CHECK(ledger->outbox().log(9)->empty());
    bool looked = false;
    const auto refused = ledger->pay(task_of("b"), kDay, [&]() -> Result<ReportBytes> {
      looked = true;
      return ReportBytes{1};
    });
    CHECK(outcome(refused) == "opted_out");
    CHECK(!looked);
    ledger.reset();
    ledger = Ledger::open(options).value();
  }
  REQUIRE(ledger->opt_in());
  CHECK(!*ledger->opted_out());
  CHECK(pay(*ledger, task_of("a"), kDay) == "already reported");
  CHECK(pay(*ledger, task_of("b"), kDay) == "reported");
}

TEST_CASE("opting out holds at once even if the disk fails, and is written to the disk later") {
  const TemporaryDirectory directory;
  FailingDisk disk;
  const LedgerOptions options = options_of(directory / "l", policy_of(kDay));
  auto ledger = Ledger::open(options).value();
  REQUIRE(pay(*ledger, task_of("a"), kDay) == "reported");
  disk.fail({1, true, UINT64_MAX});
  CHECK(outcome(ledger->opt_out()) == "io");
  CHECK(!ledger->outbox().pending(task_of("a").id(), kDay, 9));
  CHECK(pay(*ledger, task_of("b"), kDay) != "reported");
  disk.fail({});
  CHECK(waiting(*ledger, task_of("a")).empty());
  ledger.reset();
  ledger = Ledger::open(options).value();
  CHECK(*ledger->opted_out());
}

}  // namespace
}  // namespace hearsay::sdk::tests
