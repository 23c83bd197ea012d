#include "sdk/ledger/accounts.h"

#include <algorithm>
#include <optional>

#include "common/base/try.h"
#include "sdk/database/row_check.h"

namespace hearsay::sdk {
namespace {

std::int64_t payment_check(std::int64_t period, std::span<const std::uint8_t> task, std::int64_t epsilon) {
  return RowCheck().add(period).add(task).add(epsilon).value();
}

// A run: closed accounts with consecutive numbers.
struct Run {
  std::int64_t first;
  std::int64_t last;
};

std::int64_t run_check(const Run& run) { return RowCheck().add(run.first).add(run.last).value(); }

Result<void> add_run(Database& database, const Run& run) {
  return database.prepare("INSERT INTO closed VALUES (?, ?, ?)")
      .bind(run.first)
      .bind(run.last)
      .bind(run_check(run))
      .run();
}

Result<void> remove_run(Database& database, const Run& run) {
  return database.prepare("DELETE FROM closed WHERE first = ?").bind(run.first).run();
}

Result<std::optional<Run>> find_run(Database& database, std::string_view sql, std::int64_t parameter) {
  Statement runs = database.prepare(sql);
  HEARSAY_TRY(const bool found, runs.bind(parameter).step());
  if (!found) return std::optional<Run>();
  const Run run{runs.integer(0), runs.integer(1)};
  if (runs.integer(2) != run_check(run)) return database.damaged("a closed account has changed");
  return std::optional(run);
}

// Returns the last run that begins at or before `period`.
Result<std::optional<Run>> run_before(Database& database, std::int64_t period) {
  return find_run(database, "SELECT first, last, row_check FROM closed WHERE first <= ? ORDER BY first DESC LIMIT 1",
                  period);
}

Result<std::optional<Run>> run_after(Database& database, std::int64_t period) {
  return find_run(database, "SELECT first, last, row_check FROM closed WHERE first > ? ORDER BY first LIMIT 1", period);
}

// Removes the payments of accounts that are closed.
Result<void> forget(Database& database, LedgerRow& row, const Run& accounts) {
  HEARSAY_CHECK_OK(database.prepare("DELETE FROM payments WHERE period BETWEEN ? AND ?")
                       .bind(accounts.first)
                       .bind(accounts.last)
                       .run());
  HEARSAY_TRY(const std::int64_t left, database.number("SELECT count(*) FROM payments"));
  row.forgotten = row.paid - left;
  return {};
}

Result<void> join(Database& database, LedgerRow& row, const Run& lower, const Run& upper) {
  HEARSAY_CHECK_OK(remove_run(database, lower));
  HEARSAY_CHECK_OK(remove_run(database, upper));
  HEARSAY_CHECK_OK(add_run(database, {lower.first, upper.last}));
  return forget(database, row, {lower.first, upper.last});
}

// Joins two neighbouring runs into one. The new run also holds the accounts between the two runs, from which nobody has
// paid. Joins the two lowest runs if all accounts between them are older than the previous period, since time will not
// return to these accounts. Otherwise joins the two highest runs.
Result<void> close_a_gap(Database& database, LedgerRow& row, std::int64_t present) {
  HEARSAY_TRY(const auto lowest, run_after(database, -1));
  HEARSAY_TRY(const auto second, run_after(database, lowest->first));
  if (second->first < present) return join(database, row, *lowest, *second);
  HEARSAY_TRY(const auto highest, run_before(database, INT64_MAX));
  HEARSAY_TRY(const auto previous, run_before(database, highest->first - 1));
  return join(database, row, *previous, *highest);
}

Result<void> close(Database& database, LedgerRow& row, std::int64_t period, std::int64_t present,
                   const AccountLimits& limits) {
  HEARSAY_CHECK_OK(forget(database, row, {period, period}));
  HEARSAY_TRY(const auto before, run_before(database, period));
  HEARSAY_TRY(const auto after, run_after(database, period));
  Run run{period, period};
  if (before && before->last == period - 1) {
    run.first = before->first;
    HEARSAY_CHECK_OK(remove_run(database, *before));
  }
  if (after && after->first == period + 1) {
    run.last = after->last;
    HEARSAY_CHECK_OK(remove_run(database, *after));
  }
  HEARSAY_CHECK_OK(add_run(database, run));

  HEARSAY_TRY(const std::int64_t runs, database.number("SELECT count(*) FROM closed"));
  if (!row.server_time && runs > limits.runs / 2) {
    return Error{
        ErrorCode::kClockDiffers,
        "the device's clock has jumped too often; the ledger pays for no report until it has heard a server's time"};
  }
  if (runs > limits.runs) return close_a_gap(database, row, present);
  return {};
}

// Chooses the account to close next: the oldest account before the previous period, else the account furthest in the
// future, else the account of the previous period. Returns nothing if only the account `present` is open.
Result<std::optional<std::int64_t>> account_to_close(Database& database, std::int64_t present) {
  HEARSAY_TRY(const std::int64_t lowest, database.number("SELECT coalesce(min(period), -1) FROM payments"));
  if (lowest >= 0 && lowest < present - 1) return std::optional(lowest);
  HEARSAY_TRY(const std::int64_t highest, database.number("SELECT coalesce(max(period), -1) FROM payments"));
  if (highest > present) return std::optional(highest);
  if (lowest >= 0 && lowest < present) return std::optional(lowest);
  return std::optional<std::int64_t>();
}

Result<bool> is_one_too_many(Database& database, std::int64_t period, const AccountLimits& limits) {
  Statement own = database.prepare("SELECT 1 FROM payments WHERE period = ? LIMIT 1");
  HEARSAY_TRY(const bool is_open, own.bind(period).step());
  if (is_open) return false;
  HEARSAY_TRY(const std::int64_t open, database.number("SELECT count(DISTINCT period) FROM payments"));
  return open >= limits.open;
}

Result<void> make_room(Database& database, LedgerRow& row, std::int64_t present, const AccountLimits& limits) {
  while (true) {
    HEARSAY_TRY(const bool is_too_many, is_one_too_many(database, present, limits));
    if (row.paid - row.forgotten < limits.payments && !is_too_many) return {};
    HEARSAY_TRY(const auto next, account_to_close(database, present));
    if (!next) {
      return Error{ErrorCode::kLimitExceeded,
                   "the ledger remembers at most " + std::to_string(limits.payments) + " reports in one period"};
    }
    HEARSAY_CHECK_OK(close(database, row, *next, present, limits));
  }
}

}  // namespace

Result<bool> has_paid(Database& database, std::int64_t period, const TaskId& task) {
  Statement rows = database.prepare("SELECT 1 FROM payments WHERE period = ? AND task = ?");
  return rows.bind(period).bind(task.bytes).step();
}

Result<void> check_budget(Database& database, const LedgerRow& row, std::int64_t period, std::int64_t epsilon) {
  HEARSAY_TRY(const auto run, run_before(database, period));
  if (run && run->last >= period) {
    return Error{ErrorCode::kBudgetExhausted,
                 "the device's clock is in an old period, which the ledger has closed: correct the clock"};
  }
  if (!row.budget) return {};
  Statement sums = database.prepare("SELECT coalesce(sum(epsilon), 0) FROM payments WHERE period = ?");
  HEARSAY_TRY([[maybe_unused]] const bool summed, sums.bind(period).step());
  if (sums.integer(0) <= *row.budget - epsilon) return {};
  return Error{ErrorCode::kBudgetExhausted, "the privacy budget of this period does not pay for the report"};
}

Result<void> add_payment(Database& database, LedgerRow& row, std::int64_t period, const TaskId& task,
                         std::int64_t epsilon, const AccountLimits& limits) {
  HEARSAY_CHECK_OK(make_room(database, row, period, limits));
  HEARSAY_CHECK_OK(database.prepare("INSERT INTO payments VALUES (?, ?, ?, ?)")
                       .bind(period)
                       .bind(task.bytes)
                       .bind(epsilon)
                       .bind(payment_check(period, task.bytes, epsilon))
                       .run());
  ++row.paid;
  return {};
}

Result<void> check_accounts(Database& database, const LedgerRow& row) {
  Statement payments = database.prepare("SELECT period, task, epsilon, row_check FROM payments");
  std::int64_t count = 0;
  while (true) {
    HEARSAY_TRY(const bool found, payments.step());
    if (!found) break;
    if (payments.integer(3) != payment_check(payments.integer(0), payments.bytes(1), payments.integer(2))) {
      return database.damaged("a payment has changed");
    }
    ++count;
  }
  if (count != row.paid - row.forgotten) return database.damaged("a payment is missing");

  std::int64_t last = -2;
  while (true) {
    HEARSAY_TRY(const auto run, run_after(database, last));
    if (!run) break;
    if (run->first <= last || run->last < run->first) return database.damaged("the closed accounts overlap");
    last = run->last;
  }
  HEARSAY_TRY(const std::int64_t unpaid,
              database.number("SELECT count(*) FROM reports WHERE NOT EXISTS (SELECT 1 FROM payments WHERE"
                              " payments.period = reports.period AND payments.task = reports.task AND"
                              " payments.epsilon = reports.epsilon) AND NOT EXISTS (SELECT 1 FROM closed WHERE"
                              " first <= reports.period AND last >= reports.period)"));
  if (unpaid != 0) return database.damaged("a report was not paid for");
  return {};
}

}  // namespace hearsay::sdk
