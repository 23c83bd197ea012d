// The only row of the table `ledger`. It holds the policy, and facts about the ledger as a whole.
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
  std::int64_t paid = 0;                 // payments ever made
  std::int64_t forgotten = 0;            // payments without a row, because their account is closed
  std::int64_t generation = 0;           // raised by every change that an older copy of the file must not undo
  std::int64_t proofs = 0;               // the number of openings of the ledger; see format.md
  std::optional<std::int64_t> server_time{};
  bool opted_out = false;

  // Returns the number of the account at the device's time `now`.
  std::int64_t account_of(UnixSeconds now) const { return period ? static_cast<std::int64_t>(now) / *period : 0; }
};

inline constexpr UnixSeconds kLatestTime = UnixSeconds{1} << 53U;  // every task ends before this

// Returns ε as a whole number of millionths. Exact, since no ε has more than 6 decimals.
std::int64_t millionths(const Epsilon& epsilon);

Result<void> add_ledger_row(Database& database, const LedgerRow& row);
Result<LedgerRow> read_ledger_row(Database& database);
Result<void> write_ledger_row(Database& database, const LedgerRow& row);

// Writes the app's policy to `row`. Errors: kInvalidArgument (the app's policy is looser than the row's).
Result<void> tighten(LedgerRow& row, const LedgerPolicy& policy);

// Returns true if the device's clock may decide that a report is too old: a server has told the time, and the clock is
// near the server's time.
bool is_right_clock(const LedgerRow& row, UnixSeconds now);

// Returns true if the ledger may pay at the device's time `now`: `now` is at most a period from the last server's time.
// A policy without periods accepts any time, since there is only one account. If no server has told the time, any time
// is accepted, too.
bool may_pay_at(const LedgerRow& row, UnixSeconds now);

}  // namespace hearsay::sdk
