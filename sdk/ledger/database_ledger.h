// The ledger that Ledger::open() returns.
#pragma once

#include <atomic>

#include "hearsay/ledger.h"
#include "sdk/ledger/accounts.h"
#include "sdk/ledger/guarded_database.h"
#include "sdk/outbox/database_outbox.h"

namespace hearsay::sdk {

class DatabaseLedger final : public Ledger {
 public:
  // See GuardedDatabase.
  DatabaseLedger(Database database, GuardedDatabase::Reopen reopen, RollbackCounter* counter,
                 const OutboxLimits& limits, const AccountLimits& account_limits = {});

  Result<Payment> pay(const Task& task, UnixSeconds now,
                      const std::function<Result<ReportBytes>()>& randomize) override;
  Result<void> note_server_time(UnixSeconds time) override;
  Outbox& outbox() override { return outbox_; }
  Result<void> opt_out() override { return set_opted_out(true); }
  Result<void> opt_in() override { return set_opted_out(false); }
  Result<bool> opted_out() const override;

 private:
  Result<Payment> pay_within(Database& database, const Task& task, UnixSeconds now,
                             const std::function<Result<ReportBytes>()>& randomize);
  Result<void> set_opted_out(bool opted_out);
  Result<void> transact(const Work& work) const;
  Result<void> transact_for_outbox(const Work& work);

  mutable GuardedDatabase database_;
  OutboxLimits limits_;
  AccountLimits account_limits_;
  std::atomic<bool> stopped_ = false;  // opt_out() was called; the opt-out may not be on the disk yet
  DatabaseOutbox outbox_;
};

// Like Ledger::in_memory(), with limits on accounts.
Result<std::unique_ptr<Ledger>> ledger_in_memory(const LedgerPolicy& policy, const OutboxLimits& limits,
                                                 const AccountLimits& account_limits);

}  // namespace hearsay::sdk
