// The ledger of one made-up person, in memory.
#pragma once

#include <optional>

#include "hearsay/ledger.h"

namespace hearsay::examples {

// Pays for one report, and keeps everything in memory. A made-up person needs no database, and a database for each of a
// million people would be too slow. Thread-safety: one thread at a time.
class PersonLedger final : public sdk::Ledger, private sdk::Outbox {
 public:
  Result<sdk::Payment> pay(const Task& /*task*/, UnixSeconds /*now*/,
                           const std::function<Result<sdk::ReportBytes>()>& randomize) override {
    if (paid_) return sdk::Payment::kAlreadyReported;
    auto bytes = randomize();
    if (!bytes) return bytes.error();
    waiting_ = *std::move(bytes);
    paid_ = true;
    return sdk::Payment::kReported;
  }
  Result<void> note_server_time(UnixSeconds /*time*/) override { return {}; }
  sdk::Outbox& outbox() override { return *this; }
  Result<void> opt_out() override {
    waiting_.reset();
    paid_ = true;
    return {};
  }
  Result<void> opt_in() override { return {}; }
  Result<bool> opted_out() const override { return false; }

 private:
  Result<std::vector<sdk::PendingReport>> pending(const TaskId& /*task*/, UnixSeconds /*now*/,
                                                  std::size_t most) override {
    if (!waiting_ || most == 0) return std::vector<sdk::PendingReport>();
    return std::vector<sdk::PendingReport>{{1, *waiting_}};
  }
  Result<void> settle(std::span<const sdk::Settlement> /*settled*/, UnixSeconds /*now*/) override {
    waiting_.reset();
    return {};
  }
  Result<std::vector<sdk::LoggedReport>> log(std::size_t /*most*/) const override {
    return std::vector<sdk::LoggedReport>();
  }

  bool paid_ = false;
  std::optional<sdk::ReportBytes> waiting_;
};

}  // namespace hearsay::examples
