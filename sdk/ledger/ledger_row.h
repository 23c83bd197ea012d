// The one row of the table `ledger`: the policy, and what is known of the whole.
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
  std::int64_t forgotten = 0;            // payments whose row is gone, because their account is closed
  std::int64_t generation = 0;           // raised by everything that an older copy of the file must not undo
  std::int64_t proofs = 0;               // openings; see format.md
  std::optional<std::int64_t> server_time{};
  bool opted_out = false;

  // The number of the account at the device's time `now`.
  std::int64_t account_of(UnixSeconds now) const { return period ? static_cast<std::int64_t>(now) / *period : 0; }
};

inline constexpr UnixSeconds kLatestTime = UnixSeconds{1} << 53U;  // no task lives longer

// ε as a whole number of millionths. Exact, since no ε has more than 6 decimals.
std::int64_t millionths(const Epsilon& epsilon);

Result<void> add_ledger_row(Database& database, const LedgerRow& row);
Result<LedgerRow> read_ledger_row(Database& database);
Result<void> write_ledger_row(Database& database, const LedgerRow& row);

// Makes `row` follow the app's policy if that is no looser than the row's. Errors: kInvalidArgument.
Result<void> tighten(LedgerRow& row, const LedgerPolicy& policy);

// Whether reports grow old by the device's clock: not before a server's time was heard, which the clock is near to.
bool is_right_clock(const LedgerRow& row, UnixSeconds now);

// Whether the device may pay at `now`: no further from the server's time than a period. Without periods no clock opens
// another account, so any time will do; and so it will for a ledger that never heard a server's time.
bool may_pay_at(const LedgerRow& row, UnixSeconds now);

}  // namespace hearsay::sdk
