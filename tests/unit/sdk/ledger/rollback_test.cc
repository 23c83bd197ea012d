// Tests an older copy of the ledger's file in the place of the present file.
#include <sqlite3.h>

#include <filesystem>

#include "tests/support/temporary_directory.h"
#include "tests/unit/sdk/ledger/ledger_fixture.h"

namespace hearsay::sdk::tests {
namespace {

using hearsay::tests::TemporaryDirectory;

class Counter final : public RollbackCounter {
 public:
  Result<std::uint64_t> read() override {
    if (fails) return Error{ErrorCode::kIo, "no keystore"};
    return value;
  }
  Result<void> raise(std::uint64_t to) override {
    if (fails) return Error{ErrorCode::kIo, "no keystore"};
    CHECK(to >= value);
    value = to;
    return {};
  }
  std::uint64_t value = 0;
  bool fails = false;
};

std::unique_ptr<Ledger> open_with(const std::string& file, Counter& counter) {
  return Ledger::open(options_of(file, policy_of(kDay), &counter)).value();
}

void put_copy(const std::string& from, const std::string& to) {
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
}

TEST_CASE("with a counter, the ledger refuses an older copy but not the present file") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  Counter counter;
  REQUIRE(pay(*open_with(file, counter), task_of("a"), kDay) == "reported");
  put_copy(file, directory / "old");
  REQUIRE(pay(*open_with(file, counter), task_of("b"), kDay) == "reported");
  put_copy(file, directory / "present");
  put_copy(directory / "old", file);
  CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay), &counter))) == "ledger_damaged");
  put_copy(directory / "present", file);
  CHECK(pay(*open_with(file, counter), task_of("b"), kDay) == "already reported");
  std::filesystem::remove(file);
  CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay), &counter))) == "ledger_damaged");
}

TEST_CASE("without a counter, an older copy is not noticed, as the guide says") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  const auto pay_once = [&] {
    return pay(*Ledger::open(options_of(file, policy_of(kDay))).value(), task_of("a"), kDay);
  };
  REQUIRE(outcome(Ledger::open(options_of(file, policy_of(kDay)))) == "ok");
  put_copy(file, directory / "old");
  CHECK(pay_once() == "reported");
  put_copy(directory / "old", file);
  CHECK(pay_once() == "reported");
}

TEST_CASE("opting out is not undone by an older copy") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  Counter counter;
  REQUIRE(outcome(Ledger::open(options_of(file, policy_of(kDay), &counter))) == "ok");
  put_copy(file, directory / "old");
  REQUIRE(open_with(file, counter)->opt_out());
  put_copy(directory / "old", file);
  CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay), &counter))) == "ledger_damaged");
}

TEST_CASE("the counter may be behind the file, but no report leaves before the counter has caught up") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  Counter counter;
  {
    const auto ledger = open_with(file, counter);
    REQUIRE(pay(*ledger, task_of("a"), kDay) == "reported");
    counter.fails = true;
    CHECK(pay(*ledger, task_of("b"), kDay) == "io");  // the payment is in the file, but the counter is behind
    CHECK(outcome(ledger->outbox().pending(task_of("b").id(), kDay, 9)) == "io");
    CHECK(pay(*ledger, task_of("c"), kDay) == "io");
    CHECK(outcome(Ledger::open(options_of(directory / "m", policy_of(kDay), &counter))) == "io");
  }
  CHECK(counter.value == 1);
  counter.fails = false;
  const auto ledger = open_with(file, counter);
  CHECK(waiting(*ledger, task_of("b")).size() == 1);
  CHECK(counter.value == 2);
  CHECK(pay(*ledger, task_of("b"), kDay) == "already reported");
  CHECK(pay(*ledger, task_of("c"), kDay) == "reported");
  CHECK(counter.value == 3);
}

TEST_CASE("opting out is on the disk even if the counter fails") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  Counter counter;
  {
    const auto ledger = open_with(file, counter);
    REQUIRE(pay(*ledger, task_of("a"), kDay) == "reported");
    counter.fails = true;
    CHECK(pay(*ledger, task_of("b"), kDay) == "io");  // from here on the counter is behind
    CHECK(outcome(ledger->opt_out()) == "io");
  }
  counter.fails = false;
  const auto ledger = open_with(file, counter);
  CHECK(*ledger->opted_out());
  CHECK(waiting(*ledger, task_of("a")).empty());
  CHECK(counter.value == 3);
}

void edit(const std::string& file, const char* sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &connection) == SQLITE_OK);
  CHECK(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(connection);
}

TEST_CASE("tables that contradict each other count as damage") {
  const TemporaryDirectory directory;
  const std::string file = directory / "l";
  Counter counter;
  {
    const auto ledger = open_with(file, counter);
    REQUIRE(pay(*ledger, task_of("a"), kDay) == "reported");
    REQUIRE(pay(*ledger, task_of("b"), kDay) == "reported");
  }
  put_copy(file, directory / "good");
  for (const char* sql :
       {"DELETE FROM payments WHERE task = (SELECT min(task) FROM payments)",
        "DELETE FROM reports; DELETE FROM payments", "UPDATE ledger SET paid = 0, forgotten = 0",
        "UPDATE ledger SET opted_out = 1", "UPDATE payments SET epsilon = 1",
        "UPDATE payments SET period = 9 WHERE period = 1", "UPDATE reports SET bytes = x'00'",
        "UPDATE reports SET epsilon = 5", "DELETE FROM ledger", "INSERT INTO closed VALUES (0, 5, 1)",
        "DROP TABLE closed", "CREATE TABLE more (x)", "PRAGMA user_version = 2", "PRAGMA application_id = 1",
        "CREATE TRIGGER t AFTER INSERT ON payments BEGIN DELETE FROM payments; END"}) {
    CAPTURE(sql);
    put_copy(directory / "good", file);
    edit(file, sql);
    CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay), &counter))) == "ledger_damaged");
  }
  put_copy(directory / "good", file);
  CHECK(outcome(Ledger::open(options_of(file, policy_of(kDay), &counter))) == "ok");
}

}  // namespace
}  // namespace hearsay::sdk::tests
