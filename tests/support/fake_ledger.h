// A ledger and an outbox in memory. A test can make both fail.
#pragma once

#include <algorithm>
#include <mutex>
#include <set>

#include "hearsay/ledger.h"

namespace hearsay::tests {

// Pays once for each task. All functions are thread-safe.
class FakeLedger final : public sdk::Ledger, private sdk::Outbox {
 public:
  Result<sdk::Payment> pay(const Task& task, UnixSeconds now,
                           const std::function<Result<sdk::ReportBytes>()>& randomize) override {
    const std::lock_guard lock(mutex_);
    if (failure) return *failure;
    if (!payable && paid_.contains(task.id())) return sdk::Payment::kAlreadyReported;
    const auto bytes = randomize();
    if (!bytes) return bytes.error();
    if (failure_after_draw) return *failure_after_draw;
    paid_.insert(task.id());
    reports_.push_back({static_cast<std::int64_t>(reports_.size()) + 1, task.id(), task.spec().title, task.epsilon(),
                        now, sdk::ReportState::kPending, std::nullopt, "", *bytes});
    return sdk::Payment::kReported;
  }

  Result<void> note_server_time(UnixSeconds time) override {
    const std::lock_guard lock(mutex_);
    if (note_failure) return *note_failure;
    server_times.push_back(time);
    return {};
  }

  sdk::Outbox& outbox() override { return *this; }

  Result<void> opt_out() override {
    const std::lock_guard lock(mutex_);
    reports_.clear();
    opted_out_ = true;
    return {};
  }
  Result<void> opt_in() override {
    const std::lock_guard lock(mutex_);
    opted_out_ = false;
    return {};
  }
  Result<bool> opted_out() const override {
    const std::lock_guard lock(mutex_);
    return opted_out_;
  }

  std::vector<sdk::LoggedReport> reports() const {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  std::size_t count(sdk::ReportState state) const {
    const auto all = reports();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [state](const auto& report) { return report.state == state; }));
  }

  std::optional<Error> failure;             // the error that pay() returns before the draw
  std::optional<Error> failure_after_draw;  // the error that pay() returns after the draw
  std::optional<Error> note_failure;
  std::optional<Error> settle_failure;
  std::size_t settle_calls = 0;  // the number of transactions that settled reports
  // If true, the ledger pays any number of times for the same task.
  bool payable = false;
  std::vector<UnixSeconds> server_times;

 private:
  Result<std::vector<sdk::PendingReport>> pending(const TaskId& task, UnixSeconds /*now*/, std::size_t most) override {
    const std::lock_guard lock(mutex_);
    std::vector<sdk::PendingReport> found;
    for (const auto& report : reports_) {
      if (report.task == task && report.state == sdk::ReportState::kPending && found.size() < most) {
        found.push_back({report.number, report.bytes});
      }
    }
    return found;
  }
  Result<void> settle(std::span<const sdk::Settlement> settled, UnixSeconds now) override {
    const std::lock_guard lock(mutex_);
    if (settle_failure) return *settle_failure;
    ++settle_calls;
    for (const sdk::Settlement& one : settled) {
      for (auto& report : reports_) {
        if (report.number != one.number || report.state != sdk::ReportState::kPending) continue;
        report.state = one.state;
        report.settled = now;
        report.reason = one.reason;
      }
    }
    return {};
  }
  Result<std::vector<sdk::LoggedReport>> log(std::size_t /*most*/) const override { return reports(); }

  mutable std::mutex mutex_;
  std::set<TaskId> paid_;
  bool opted_out_ = false;
  std::vector<sdk::LoggedReport> reports_;
};

}  // namespace hearsay::tests
