// The only row of the table `ledger`. The row holds the policy, and facts about the ledger as a whole.
#pragma once

#include <cstdint>
#include <optional>

#include "hearsay/ledger.h"
#include "sdk/database/database.h"

namespace hearsay::sdk {

inline constexpr const char* kLedgerTable =
    "CREATE TABLE ledger (id INTEGER PRIMARY KEY, period INTEGER, budget INTEGER, paid INTEGER NOT NULL,"
    " forgotten INTEGER NOT NULL, generation INTEGER NOT NULL, proofs INTEGER NOT NULL, server_time INTEGER,"
    " opted_out INTEGER NOT NULL, row_check INTEGER NOT NULL)";

struct LedgerRow {
  std::optional<std::int64_t> period{};  // in seconds
  std::optional<std::int64_t> budget{};  // in millionths of ε
  std::int64_t paid = 0;                 // number of all payments that were ever made
  std::int64_t forgotten = 0;            // number of payments whose row was removed with their account
  std::int64_t generation = 0;           // raised by each payment, opt-out and opt-in
  std::int64_t proofs = 0;               // the number of openings of the ledger; see format.md
  std::optional<std::int64_t> server_time{};
  bool opted_out = false;

  // Returns the number of the account at the device's time `now`.
  std::int64_t account_of(UnixSeconds now) const { return period ? static_cast<std::int64_t>(now) / *period : 0; }
};

inline constexpr UnixSeconds kLatestTime = UnixSeconds{1} << 53U;  // every task ends before this time

// Returns ε in millionths. The number is exact, since no ε has more than 6 decimals.
std::int64_t millionths(const Epsilon& epsilon);

Result<void> add_ledger_row(Database& database, const LedgerRow& row);
Result<LedgerRow> read_ledger_row(Database& database);
Result<void> write_ledger_row(Database& database, const LedgerRow& row);

// Writes the app's policy to `row`. Errors: kInvalidArgument (the app's policy is looser than the row's).
Result<void> tighten(LedgerRow& row, const LedgerPolicy& policy);

// Returns true if a server has told the time, and `now` is at most a day from that time. Only then may the clock decide
// that a report is too old.
bool is_right_clock(const LedgerRow& row, UnixSeconds now);

// Returns true if the ledger may pay at the device's time `now`: `now` differs from the server's time by at most a
// period. Without a period, or without a server's time, the ledger may pay at any time.
bool may_pay_at(const LedgerRow& row, UnixSeconds now);

}  // namespace hearsay::sdk
