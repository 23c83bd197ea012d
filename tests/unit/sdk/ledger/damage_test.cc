// Tests ledgers whose bytes change on the disk.
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/support/failing_vfs.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

using hearsay::tests::FailingDisk;
using hearsay::tests::TemporaryDirectory;

void write_to(const std::string& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

// A ledger with payments, waiting reports and settled reports, and the bytes of its file.
class Damaged {
 public:
  Damaged() : options_(options_of(directory_ / "l", policy_of(kDay, "64"))) {
    const auto ledger = Ledger::open(options_).value();
    for (const Task& task : tasks_) {
      REQUIRE(pay(*ledger, task, kDay, ReportBytes(700, 5)) == "reported");
    }
    REQUIRE(ledger->outbox().settle(1, ReportState::kDelivered, 9, ""));
    REQUIRE(ledger->note_server_time(kDay));
  }
  std::string content() const { return content_of(options_.file); }

  // Returns true if the ledger opens. Checks that no payment is made twice.
  bool opens(const std::string& content) {
    write_to(options_.file, content);
    write_to(options_.file + "-journal", "");
    const auto opened = Ledger::open(options_);
    if (!opened) {
      CHECK((opened.error().code == ErrorCode::kLedgerDamaged || opened.error().code == ErrorCode::kIo));
      return false;
    }
    for (const Task& task : tasks_) CHECK(pay(**opened, task, kDay) != "reported");
    static_cast<void>(pay(**opened, other_, kDay));
    static_cast<void>(opened.value()->outbox().log(100));
    return true;
  }

 private:
  FailingDisk disk_;  // does not sync
  TemporaryDirectory directory_;
  LedgerOptions options_;
  std::vector<Task> tasks_{task_of("a"), task_of("b"), task_of("c"), task_of("d")};
  Task other_ = task_of("other");
};

TEST_CASE("a byte that changed does not pay for a second report") {
  Damaged damaged;
  const std::string good = damaged.content();
  REQUIRE(damaged.opens(good));
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string content = good;
    // For i < 100 the byte is in the header.
    const std::size_t position = i < 100 ? static_cast<std::size_t>(i) : random() % content.size();
    content[position] = static_cast<char>(content[position] ^ static_cast<char>(1 + random() % 255));
    CAPTURE(position);
    refused += damaged.opens(content) ? 0 : 1;
  }
  CHECK(refused > 50);
}

TEST_CASE("a file that lost its end, a page or all its bytes does not pay for a second report") {
  Damaged damaged;
  const std::string good = damaged.content();
  for (std::size_t size = 0; size < good.size(); size += 512) {
    CAPTURE(size);
    // SQLite restores a lost end that consists of zeros.
    const bool lost_zeros = good.find_first_not_of('\0', size) == std::string::npos;
    CHECK(damaged.opens(good.substr(0, size)) == lost_zeros);
  }
  for (std::size_t page = 0; page < good.size(); page += 4'096) {
    std::string content = good;
    content.replace(page, 4'096, 4'096, '\0');
    CAPTURE(page);
    CHECK(!damaged.opens(content));
  }
}

TEST_CASE("if the ledger finds damage while it is open, it pays no more") {
  const TemporaryDirectory directory;
  const FailingDisk disk;
  LedgerOptions options = options_of(directory / "l", policy_of(kDay));
  const Task big = task_of("big");
  {
    const auto ledger = Ledger::open(options).value();
    REQUIRE(pay(*ledger, big, kDay, ReportBytes(16'000'000 / 2, 1)) == "reported");  // more than SQLite's cache holds
  }
  const auto ledger = Ledger::open(options).value();
  {
    std::fstream stream(options.file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(5 * 4'096);
    for (int page = 5; page < 1'900; ++page) stream << std::string(4'096, 'x');
  }
  CHECK(outcome(ledger->outbox().pending(big.id(), kDay, 9)) == "ledger_damaged");
  CHECK(pay(*ledger, task_of("b"), kDay) == "ledger_damaged");
  CHECK(outcome(ledger->outbox().log(9)) == "ledger_damaged");
}

}  // namespace
}  // namespace hearsay::sdk::tests
