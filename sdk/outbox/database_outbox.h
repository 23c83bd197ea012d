// The outbox of a ledger's database.
#pragma once

#include <functional>

#include "hearsay/outbox.h"
#include "sdk/database/database.h"

namespace hearsay::sdk {

// Runs work in a transaction of the ledger's database; see GuardedDatabase::transact().
using Work = std::function<Result<void>(Database&)>;
using Transact = std::function<Result<void>(const Work&)>;

// Returns true if the device's clock (`now`) is near enough to the server's time to decide that a report is too old.
using TrustsClock = std::function<Result<bool>(Database&, UnixSeconds now)>;

class DatabaseOutbox final : public Outbox {
 public:
  DatabaseOutbox(Transact transact, TrustsClock trusts_clock, const OutboxLimits& limits)
      : transact_(std::move(transact)), trusts_clock_(std::move(trusts_clock)), limits_(limits) {}

  Result<std::vector<PendingReport>> pending(const TaskId& task, UnixSeconds now, std::size_t most) override;
  Result<void> settle(std::span<const Settlement> settled, UnixSeconds now) override;
  Result<std::vector<LoggedReport>> log(std::size_t most) const override;

 private:
  Transact transact_;
  TrustsClock trusts_clock_;
  OutboxLimits limits_;
};

}  // namespace hearsay::sdk
