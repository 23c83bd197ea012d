#include "sdk/ledger/database_ledger.h"

#include <openssl/crypto.h>

#include "common/base/try.h"
#include "sdk/ledger/accounts.h"
#include "sdk/outbox/report_table.h"

namespace hearsay::sdk {
namespace {

// Bytes that the destructor overwrites.
class WipedBytes {
 public:
  explicit WipedBytes(ReportBytes bytes) : bytes_(std::move(bytes)) {}
  ~WipedBytes() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }
  WipedBytes(const WipedBytes&) = delete;
  WipedBytes& operator=(const WipedBytes&) = delete;
  const ReportBytes& get() const { return bytes_; }

 private:
  ReportBytes bytes_;
};

Error opted_out_error() { return {ErrorCode::kOptedOut, "the person has opted out of reporting"}; }

Error clock_error(const LedgerRow& row, UnixSeconds now) {
  std::string text = "the device's clock says " + std::to_string(now);
  if (row.server_time) text += ", which is too far from the server's time " + std::to_string(*row.server_time);
  return {ErrorCode::kClockDiffers, text + " (seconds since 1970); correct the clock or reach the server again"};
}

}  // namespace

DatabaseLedger::DatabaseLedger(Database database, GuardedDatabase::Reopen reopen, RollbackCounter* counter,
                               const OutboxLimits& limits, const AccountLimits& account_limits)
    : database_(std::move(database), std::move(reopen), counter),
      limits_(limits),
      account_limits_(account_limits),
      outbox_([this](const Work& work) { return transact_for_outbox(work); },
              [](Database& within, UnixSeconds now) -> Result<bool> {
                HEARSAY_TRY(const LedgerRow row, read_ledger_row(within));
                return is_right_clock(row, now);
              },
              limits) {}

Result<void> DatabaseLedger::transact(const Work& work) const { return database_.transact(work); }

Result<void> DatabaseLedger::transact_for_outbox(const Work& work) {
  if (stopped_) {
    HEARSAY_CHECK_OK(opt_out());  // tries again to write the opt-out, in case the disk failed
  }
  return transact(work);
}

Result<Payment> DatabaseLedger::pay(const Task& task, UnixSeconds now,
                                    const std::function<Result<ReportBytes>()>& randomize) {
  Payment payment = Payment::kAlreadyReported;
  HEARSAY_CHECK_OK(database_.transact([&](Database& database) -> Result<void> {
    HEARSAY_TRY(payment, pay_within(database, task, now, randomize));
    return {};
  }));
  return payment;
}

Result<Payment> DatabaseLedger::pay_within(Database& database, const Task& task, UnixSeconds now,
                                           const std::function<Result<ReportBytes>()>& randomize) {
  HEARSAY_TRY(LedgerRow row, read_ledger_row(database));
  if (row.opted_out || stopped_) return opted_out_error();
  const std::int64_t period = row.account_of(now);
  HEARSAY_TRY(const bool paid, has_paid(database, period, task.id()));
  if (paid) return Payment::kAlreadyReported;
  if (!may_pay_at(row, now)) return clock_error(row, now);
  const std::int64_t epsilon = millionths(task.epsilon());
  HEARSAY_CHECK_OK(check_budget(database, row, period, epsilon));
  if (is_right_clock(row, now)) {
    HEARSAY_CHECK_OK(drop_old(database, limits_, now));
  }
  HEARSAY_CHECK_OK(check_room(database, limits_));
  HEARSAY_CHECK_OK(add_payment(database, row, period, task.id(), epsilon, account_limits_));
  ++row.generation;
  HEARSAY_CHECK_OK(write_ledger_row(database, row));

  HEARSAY_TRY(ReportBytes drawn, randomize());
  const WipedBytes bytes(std::move(drawn));
  HEARSAY_CHECK_OK(
      add_report(database, limits_, {row.paid, period, task.id(), epsilon, task.spec().title, now}, bytes.get()));
  return Payment::kReported;
}

Result<void> DatabaseLedger::note_server_time(UnixSeconds time) {
  if (time > kLatestTime) return Error{ErrorCode::kInvalidArgument, "the server's time is above 2^53 seconds"};
  return transact([&](Database& database) -> Result<void> {
    HEARSAY_TRY(LedgerRow row, read_ledger_row(database));
    if (row.server_time == static_cast<std::int64_t>(time)) return {};
    row.server_time = static_cast<std::int64_t>(time);
    return write_ledger_row(database, row);
  });
}

Result<void> DatabaseLedger::set_opted_out(bool opted_out) {
  if (opted_out) stopped_ = true;
  const Work work = [&](Database& database) -> Result<void> {
    HEARSAY_TRY(LedgerRow row, read_ledger_row(database));
    if (opted_out) {
      HEARSAY_CHECK_OK(remove_reports(database));
    }
    if (row.opted_out == opted_out) return {};
    row.opted_out = opted_out;
    ++row.generation;
    return write_ledger_row(database, row);
  };
  const auto done = opted_out ? database_.transact_before_counter(work) : transact(work);
  if (done && !opted_out) stopped_ = false;
  return done;
}

Result<bool> DatabaseLedger::opted_out() const {
  bool opted_out = false;
  HEARSAY_CHECK_OK(transact([&](Database& database) -> Result<void> {
    HEARSAY_TRY(const LedgerRow row, read_ledger_row(database));
    opted_out = row.opted_out || stopped_;
    return {};
  }));
  return opted_out;
}

}  // namespace hearsay::sdk
