// Keeps the payments of each period. Each period has one account, with the number of the period. Call every function
// within a transaction.
//
// An open account has a row for each payment. A closed account pays for no more reports. The table `closed` stores
// closed accounts as runs of consecutive numbers, at most `runs` of them. format.md says which accounts are closed, and
// when.
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

// Limits of the tables.
struct AccountLimits {
  std::int64_t open = 100;         // open accounts
  std::int64_t payments = 20'000;  // payments in all open accounts
  std::int64_t runs = 2'000;       // runs of closed accounts; half this number until a server tells the time
};

Result<bool> has_paid(Database& database, std::int64_t period, const TaskId& task);

// Checks that the account pays for another report of `epsilon` millionths. Errors: kBudgetExhausted.
Result<void> check_budget(Database& database, const LedgerRow& row, std::int64_t period, std::int64_t epsilon);

// Adds a payment, after closing accounts if there is no room. Counts the payment in `row`; the caller writes `row`.
// Errors: kLimitExceeded (the account has too many payments), kClockDiffers (the clock has jumped too often, and no
// server has told the time).
Result<void> add_payment(Database& database, LedgerRow& row, std::int64_t period, const TaskId& task,
                         std::int64_t epsilon, const AccountLimits& limits);

// Checks the checksums of all payments and closed accounts, and that these rows agree with `row` and the reports.
// Errors: kLedgerDamaged.
Result<void> check_accounts(Database& database, const LedgerRow& row);

}  // namespace hearsay::sdk
