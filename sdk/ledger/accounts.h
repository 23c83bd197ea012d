// What was paid in each period: one account a period, numbered like the periods. Every function is part of the caller's
// transaction.
//
// An account is open, with a row for each payment, or closed: spent for all tasks and for ever. Closed accounts are
// kept as runs of numbers, so that their count is bounded; format.md says which accounts are closed and when.
#pragma once

#include <cstdint>
#include <string>

#include "hearsay/task.h"
#include "sdk/database/database.h"
#include "sdk/ledger/ledger_row.h"

namespace hearsay::sdk {

inline constexpr const char* kPaymentTable =
    "CREATE TABLE payments (period INTEGER NOT NULL, task BLOB NOT NULL, epsilon INTEGER NOT NULL,"
    " row_check INTEGER NOT NULL, PRIMARY KEY (period, task)) WITHOUT ROWID";
inline constexpr const char* kClosedTable =
    "CREATE TABLE closed (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, row_check INTEGER NOT NULL)";

// How much is remembered.
struct AccountLimits {
  std::int64_t open = 100;         // open accounts
  std::int64_t payments = 20'000;  // payments in all open accounts
  std::int64_t runs = 2'000;       // runs of closed accounts; half as many while no server's time was heard
};

Result<bool> has_paid(Database& database, std::int64_t period, const TaskId& task);

// Whether the account pays for `epsilon` more, in millionths. Errors: kBudgetExhausted.
Result<void> check_budget(Database& database, const LedgerRow& row, std::int64_t period, std::int64_t epsilon);

// Adds a payment, after closing what there is no room for; counts in `row`, which the caller writes.
// Errors: kLimitExceeded (the account has too many payments), kClockDiffers (the clock has jumped too often for a
// ledger that never heard a server's time).
Result<void> add_payment(Database& database, LedgerRow& row, std::int64_t period, const TaskId& task,
                         std::int64_t epsilon, const AccountLimits& limits);

// Whether all rows are as they were written and agree with `row`. Errors: kLedgerDamaged.
Result<void> check_accounts(Database& database, const LedgerRow& row);

}  // namespace hearsay::sdk
