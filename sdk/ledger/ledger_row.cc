#include "sdk/ledger/ledger_row.h"

#include "common/base/try.h"
#include "sdk/database/row_check.h"

namespace hearsay::sdk {
namespace {

constexpr std::int64_t kDay = 86'400;  // the ledger gives up old reports only if the two clocks differ by at most a day

std::int64_t check_of(const LedgerRow& row) {
  return RowCheck()
      .add(row.period)
      .add(row.budget)
      .add(row.paid)
      .add(row.forgotten)
      .add(row.generation)
      .add(row.proofs)
      .add(row.server_time)
      .add(std::int64_t{row.opted_out})
      .value();
}

Result<void> put(Database& database, std::string_view verb, const LedgerRow& row) {
  return database.prepare(std::string(verb) + " INTO ledger VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(row.period)
      .bind(row.budget)
      .bind(row.paid)
      .bind(row.forgotten)
      .bind(row.generation)
      .bind(row.proofs)
      .bind(row.server_time)
      .bind(std::int64_t{row.opted_out})
      .bind(check_of(row))
      .run();
}

Error looser(const std::string& what) {
  return {ErrorCode::kInvalidArgument,
          "the ledger was made with " + what + ", and a ledger's policy never gets looser"};
}

std::string period_words(std::optional<std::int64_t> period) {
  if (!period) return "no period";
  const bool days = *period % kDay == 0;
  const std::int64_t count = days ? *period / kDay : *period;
  return "a period of " + std::to_string(count) + (days ? " day" : " second") + (count == 1 ? "" : "s");
}

// Returns true if `now` is at most `allowed` seconds from the server's time. row.server_time must have a value.
bool is_near(const LedgerRow& row, UnixSeconds now, std::int64_t allowed) {
  if (now > kLatestTime) return false;
  const std::int64_t ahead = static_cast<std::int64_t>(now) - *row.server_time;
  return -allowed <= ahead && ahead <= allowed;
}

}  // namespace

std::int64_t millionths(const Epsilon& epsilon) {
  return static_cast<std::int64_t>(epsilon.num() * (1'000'000 / epsilon.den()));
}

Result<void> add_ledger_row(Database& database, const LedgerRow& row) { return put(database, "INSERT", row); }
Result<void> write_ledger_row(Database& database, const LedgerRow& row) { return put(database, "REPLACE", row); }

Result<LedgerRow> read_ledger_row(Database& database) {
  Statement rows = database.prepare(
      "SELECT period, budget, paid, forgotten, generation, proofs, server_time, opted_out, row_check FROM ledger");
  HEARSAY_TRY(const bool found, rows.step());
  if (!found) return database.damaged("it has no policy");
  LedgerRow row;
  row.period = rows.optional_integer(0);
  row.budget = rows.optional_integer(1);
  row.paid = rows.integer(2);
  row.forgotten = rows.integer(3);
  row.generation = rows.integer(4);
  row.proofs = rows.integer(5);
  row.server_time = rows.optional_integer(6);
  row.opted_out = rows.integer(7) != 0;
  if (rows.integer(8) != check_of(row)) return database.damaged("its row of policy and counters has changed");
  return row;
}

Result<void> tighten(LedgerRow& row, const LedgerPolicy& policy) {
  std::optional<std::int64_t> period;
  if (policy.period) period = policy.period->count();
  if (period != row.period) return looser(period_words(row.period));
  if (!policy.budget) {
    if (row.budget) return looser("a budget");
    return {};
  }
  const std::int64_t budget = millionths(*policy.budget);
  if (row.budget && budget > *row.budget) return looser("a smaller budget");
  row.budget = budget;
  return {};
}

bool is_right_clock(const LedgerRow& row, UnixSeconds now) { return row.server_time && is_near(row, now, kDay); }

bool may_pay_at(const LedgerRow& row, UnixSeconds now) {
  if (now > kLatestTime) return false;
  return !row.period || !row.server_time || is_near(row, now, *row.period);
}

}  // namespace hearsay::sdk
