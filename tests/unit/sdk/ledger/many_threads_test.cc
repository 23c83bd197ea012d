#include <atomic>
#include <thread>

#include "tests/support/failing_vfs.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

TEST_CASE("16 threads pay for 16 tasks: each task once, and not more than the budget") {
  const hearsay::tests::TemporaryDirectory directory;
  const hearsay::tests::FailingDisk disk;
  const auto ledger = Ledger::open(options_of(directory / "l", policy_of(kDay, "1.2"))).value();
  std::vector<Task> tasks;
  for (int task = 0; task < 16; ++task) tasks.push_back(task_of("t" + std::to_string(task), "0.1"));
  std::atomic<int> paid{0};
  std::atomic<int> drawn{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < 16; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t i = 0; i < 16; ++i) {
          const Task& task = tasks[(thread + i) % 16];
          const auto payment = ledger->pay(task, kDay, [&]() -> Result<ReportBytes> {
            ++drawn;
            return ReportBytes{1};
          });
          paid += payment && *payment == Payment::kReported ? 1 : 0;
          static_cast<void>(ledger->outbox().pending(task.id(), kDay, 5));
          static_cast<void>(ledger->outbox().log(2));
        }
      });
    }
  }
  CHECK(paid == 12);
  CHECK(drawn == 12);
  CHECK(ledger->outbox().log(100)->size() == 12);
}

}  // namespace
}  // namespace hearsay::sdk::tests
