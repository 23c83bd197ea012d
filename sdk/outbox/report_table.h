// The table of reports: the waiting reports, and the log of settled reports. Call every function within a transaction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hearsay/outbox.h"
#include "sdk/database/database.h"

namespace hearsay::sdk {

inline constexpr const char* kReportTable =
    "CREATE TABLE reports (number INTEGER PRIMARY KEY, period INTEGER NOT NULL, task BLOB NOT NULL,"
    " epsilon INTEGER NOT NULL, title TEXT NOT NULL, made INTEGER NOT NULL, state INTEGER NOT NULL, settled INTEGER,"
    " reason TEXT NOT NULL, row_check INTEGER NOT NULL, bytes BLOB NOT NULL)";

// A new report, without its bytes. `number`, `period` and `epsilon` are those of the payment.
struct NewReport {
  std::int64_t number;
  std::int64_t period;
  TaskId task;
  std::int64_t epsilon;  // in millionths
  std::string title;
  UnixSeconds made;
};

// Adds a report, in the state kPending. Errors: kLimitExceeded (the outbox has no room for the report's bytes).
Result<void> add_report(Database& database, const OutboxLimits& limits, const NewReport& report,
                        const ReportBytes& bytes);

// Checks that another report may wait. Errors: kLimitExceeded.
Result<void> check_room(Database& database, const OutboxLimits& limits);

// Gives up the reports that have waited for too long.
Result<void> drop_old(Database& database, const OutboxLimits& limits, UnixSeconds now);

Result<std::vector<PendingReport>> pending_reports(Database& database, const TaskId& task, std::size_t most);

Result<void> settle_reports(Database& database, const OutboxLimits& limits, std::span<const Settlement> settled,
                            UnixSeconds now);

Result<std::vector<LoggedReport>> logged_reports(Database& database, std::size_t most);

Result<void> remove_reports(Database& database);

// Checks the checksum of every row. Errors: kLedgerDamaged.
Result<void> check_reports(Database& database);

}  // namespace hearsay::sdk
