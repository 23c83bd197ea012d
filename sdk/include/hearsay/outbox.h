// The reports of a device: the reports on their way to the aggregator, and a log of the reports that left.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hearsay/clock.h"
#include "hearsay/epsilon.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::sdk {

using ReportBytes = std::vector<std::uint8_t>;  // one encoded report

// How many reports may wait. If the outbox is full, a further report is refused before anything is paid. A report that
// has waited for longer than `max_age` is given up if the device's clock is within a day of the server's time that the
// ledger heard last; a ledger that heard no time gives nothing up. The settled reports in the log have at most
// `max_bytes` in all, too.
struct OutboxLimits {
  std::size_t max_reports = 1'000;
  std::size_t max_bytes = 8U << 20U;
  std::chrono::seconds max_age{30 * 86'400};
  std::size_t max_logged = 1'000;  // settled reports whose entry in the log is kept; the oldest go first
};

enum class ReportState : std::uint8_t {
  kPending,    // waits; may have been sent, but no answer has arrived
  kDelivered,  // the aggregator has taken the report
  kDropped,    // given up: refused for good, or too old. May still have been sent
};

// A report that waits to be sent.
struct PendingReport {
  std::int64_t number;  // names the report in this outbox
  ReportBytes bytes;
};

// The outcome of a report.
struct Settlement {
  std::int64_t number;
  ReportState state;   // kDelivered or kDropped
  std::string reason;  // why the report was dropped; else empty
};

// A report as the person may see it.
struct LoggedReport {
  std::int64_t number;
  TaskId task;
  std::string title;  // the task's, or empty
  Epsilon epsilon;    // what the report cost
  UnixSeconds made;   // the device's time when the report was made
  ReportState state;
  std::optional<UnixSeconds> settled;  // the device's time when the state became kDelivered or kDropped
  std::string reason;                  // why the report was dropped; else empty
  ReportBytes bytes;                   // what was sent, or will be
};

// Keeps the reports that a ledger has paid for, so that every retry sends the same bytes. Ledger::pay() adds reports.
//
// Thread-safety: any number of threads may use an outbox at once. Errors of all operations: those of the ledger's
// RollbackCounter, too.
class Outbox {
 public:
  virtual ~Outbox() = default;

  // Returns the reports to `task` that wait, the oldest first, at most `most` of them. Gives up reports that are too
  // old. Returns none after Ledger::opt_out(). Errors: kIo, kInUse, kLedgerDamaged.
  virtual Result<std::vector<PendingReport>> pending(const TaskId& task, UnixSeconds now, std::size_t most) = 0;

  // Settles reports, all or none of them, in one transaction. Skips reports that are settled or not in the outbox.
  // Errors: kInvalidArgument (a state is kPending), kIo, kInUse, kLedgerDamaged.
  virtual Result<void> settle(std::span<const Settlement> settled, UnixSeconds now) = 0;
  // Settles one report.
  Result<void> settle(std::int64_t number, ReportState state, UnixSeconds now, const std::string& reason) {
    const Settlement one{number, state, reason};
    return settle(std::span(&one, 1), now);
  }

  // Returns what left this device or waits to leave it, the newest first, at most `most` entries.
  // Errors: kIo, kInUse, kLedgerDamaged.
  virtual Result<std::vector<LoggedReport>> log(std::size_t most) const = 0;
};

}  // namespace hearsay::sdk
