#include <array>
#include <optional>
#include <string>
#include <utility>

#include "common/base/try.h"
#include "hearsay/ledger.h"
#include "sdk/database/file.h"
#include "sdk/ledger/accounts.h"
#include "sdk/ledger/database_ledger.h"
#include "sdk/outbox/report_table.h"

namespace hearsay::sdk {
namespace {

constexpr std::int64_t kApplication = 0x48727379;  // "Hrsy"
constexpr std::int64_t kVersion = 1;               // of format.md
constexpr std::array<std::pair<std::string_view, const char*>, 4> kTables = {
    {{"closed", kClosedTable}, {"ledger", kLedgerTable}, {"payments", kPaymentTable}, {"reports", kReportTable}}};

Result<void> check_policy(const LedgerPolicy& policy) {
  if (!policy.period) return {};
  const std::int64_t seconds = policy.period->count();
  if (seconds >= 1 && static_cast<UnixSeconds>(seconds) <= kLatestTime) return {};
  return Error{ErrorCode::kInvalidArgument, "a ledger's period must have from 1 to 2^53 seconds"};
}

Result<void> make_tables(Database& database, const LedgerPolicy& policy) {
  for (const auto& [name, sql] : kTables) HEARSAY_CHECK_OK(database.execute(sql));
  LedgerRow row;
  if (policy.period) row.period = policy.period->count();
  if (policy.budget) row.budget = millionths(*policy.budget);
  HEARSAY_CHECK_OK(add_ledger_row(database, row));
  HEARSAY_CHECK_OK(database.execute(("PRAGMA application_id = " + std::to_string(kApplication)).c_str()));
  return database.execute(("PRAGMA user_version = " + std::to_string(kVersion)).c_str());
}

// Checks that the file is a ledger of this version, and has exactly the tables that make_tables() makes.
Result<void> check_schema(Database& database) {
  HEARSAY_TRY(const std::int64_t application, database.number("PRAGMA application_id"));
  if (application != kApplication) return database.damaged("the file is no ledger");
  HEARSAY_TRY(const std::int64_t version, database.number("PRAGMA user_version"));
  if (version != kVersion) return database.damaged("it is of the unknown version " + std::to_string(version));
  HEARSAY_TRY(const std::int64_t vacuum, database.number("PRAGMA auto_vacuum"));
  if (vacuum != 1) return database.damaged("it keeps free pages");
  Statement objects = database.prepare("SELECT name, sql FROM sqlite_master ORDER BY name");
  for (const auto& [name, sql] : kTables) {
    HEARSAY_TRY(const bool found, objects.step());
    if (!found || objects.text(0) != name || objects.text(1) != sql) {
      return database.damaged("its tables are not those of a ledger");
    }
  }
  HEARSAY_TRY(const bool more, objects.step());
  if (more) return database.damaged("it has a table that a ledger does not have");
  return {};
}

Result<void> check_contents(Database& database, const LedgerRow& row) {
  Statement check = database.prepare("PRAGMA quick_check(1)");
  HEARSAY_TRY(const bool found, check.step());
  if (!found || check.text(0) != "ok") return database.damaged(check.text(0));
  HEARSAY_CHECK_OK(check_reports(database));
  return check_accounts(database, row);
}

// After a crash the counter may be lower than the file's generation, but never higher.
Result<void> check_counter(Database& database, const LedgerRow& row, RollbackCounter* counter) {
  if (counter == nullptr) return {};
  HEARSAY_TRY(const std::uint64_t reached, counter->read());
  if (static_cast<std::uint64_t>(row.generation) >= reached) return {};
  return database.damaged("it is an older copy than the one that was used last");
}

// Makes the tables or checks them, in one transaction. Without `policy`, the ledger must exist, and keeps the policy
// that it has.
Result<void> prepare(Database& database, bool is_new, const std::optional<LedgerPolicy>& policy,
                     RollbackCounter* counter) {
  HEARSAY_CHECK_OK(database.begin());
  if (is_new) {
    if (!policy) return database.damaged("it was never finished");
    HEARSAY_CHECK_OK(make_tables(database, *policy));
  } else {
    HEARSAY_CHECK_OK(check_schema(database));
  }
  HEARSAY_TRY(LedgerRow row, read_ledger_row(database));
  HEARSAY_CHECK_OK(check_contents(database, row));
  HEARSAY_CHECK_OK(check_counter(database, row, counter));
  if (policy) {
    HEARSAY_CHECK_OK(tighten(row, *policy));
  }
  ++row.proofs;  // with this change the commit syncs the file, so all rows that were read are safe on the disk
  HEARSAY_CHECK_OK(write_ledger_row(database, row));
  return database.commit();
}

// What open_and_check() and prepare() need to open a ledger, also after the disk has failed.
struct Opening {
  std::string path;  // absolute
  std::optional<LedgerPolicy> policy;
  RollbackCounter* counter;
};

// Opens and checks the database. If `expected` has a value, the file must be this file.
Result<OpenedDatabase> open_and_check(const Opening& opening, const std::optional<FileIdentity>& expected) {
  const bool may_be_made = opening.policy && !expected;
  HEARSAY_TRY(OpenedDatabase opened, open_database(opening.path, may_be_made ? IfMissing::kMake : IfMissing::kRefuse));
  if (expected && opened.identity != *expected) {
    return Error{ErrorCode::kIo, "another file has taken the place of the ledger's file"};
  }
  if (expected && opened.is_new) return opened.database.damaged("it has lost its contents");
  HEARSAY_CHECK_OK(prepare(opened.database, opened.is_new, opening.policy, opening.counter));
  HEARSAY_CHECK_OK(finish_new(opening.path));
  return opened;
}

Result<OpenedDatabase> named(const std::string& file, Result<OpenedDatabase> opened) {
  if (opened) return opened;
  Error error = opened.error();
  error.message.insert(0, "cannot open the ledger '" + file + "': ");
  return error;
}

Result<std::unique_ptr<Ledger>> open_ledger(const std::string& file, const std::optional<LedgerPolicy>& policy,
                                            RollbackCounter* counter, const OutboxLimits& limits) {
  HEARSAY_TRY(const std::string path, absolute_path(file));
  const Opening opening{path, policy, counter};
  HEARSAY_TRY(OpenedDatabase opened, named(file, open_and_check(opening, std::nullopt)));
  const auto reopen = [file, opening, identity = opened.identity]() -> Result<Database> {
    HEARSAY_TRY(OpenedDatabase again, named(file, open_and_check(opening, identity)));
    return std::move(again.database);
  };
  return std::unique_ptr<Ledger>(std::make_unique<DatabaseLedger>(std::move(opened.database), reopen, counter, limits));
}

}  // namespace

Result<std::unique_ptr<Ledger>> Ledger::open(const LedgerOptions& options) {
  HEARSAY_CHECK_OK(check_policy(options.policy));
  return open_ledger(options.file, options.policy, options.counter, options.outbox);
}

Result<std::unique_ptr<Ledger>> Ledger::open_existing(const std::string& file, RollbackCounter* counter) {
  return open_ledger(file, std::nullopt, counter, {});
}

Result<std::unique_ptr<Ledger>> Ledger::in_memory(const LedgerPolicy& policy, const OutboxLimits& limits) {
  return ledger_in_memory(policy, limits, {});
}

Result<std::unique_ptr<Ledger>> ledger_in_memory(const LedgerPolicy& policy, const OutboxLimits& limits,
                                                 const AccountLimits& account_limits) {
  HEARSAY_CHECK_OK(check_policy(policy));
  HEARSAY_TRY(Database database, Database::in_memory());
  HEARSAY_CHECK_OK(prepare(database, true, policy, nullptr));
  const auto reopen = []() -> Result<Database> { return Error{ErrorCode::kIo, "the ledger in memory has failed"}; };
  return std::unique_ptr<Ledger>(
      std::make_unique<DatabaseLedger>(std::move(database), reopen, nullptr, limits, account_limits));
}

}  // namespace hearsay::sdk
