// The outbox of a device: the waiting reports, and a log of the delivered and dropped reports.
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

// How many reports may wait. If the outbox is full, Ledger::pay() refuses a further report before it pays. The outbox
// gives up a report that has waited for longer than `max_age`, if the device's clock is within a day of the time that a
// server told last (see Ledger::note_server_time()). If no server has told the time, the outbox gives no report up for
// its age. `max_bytes` limits the waiting reports, and separately the settled reports in the log.
struct OutboxLimits {
  std::size_t max_reports = 1'000;
  std::size_t max_bytes = 8U << 20U;
  std::chrono::seconds max_age{30 * 86'400};
  std::size_t max_logged = 1'000;  // largest number of settled reports in the log; the outbox removes the oldest first
};

enum class ReportState : std::uint8_t {
  kPending,    // waits, or was sent and not answered
  kDelivered,  // the aggregator has accepted the report
  kDropped,    // given up: the aggregator refused the report for good, or the report was too old
};

// A report that waits to be sent.
struct PendingReport {
  std::int64_t number;  // identifies the report in this outbox
  ReportBytes bytes;
};

// The outcome of a report.
struct Settlement {
  std::int64_t number;
  ReportState state;   // kDelivered or kDropped
  std::string reason;  // if dropped, the reason; else empty
};

// An entry of the log, for the person.
struct LoggedReport {
  std::int64_t number;
  TaskId task;
  std::string title;  // the task's title, or empty
  Epsilon epsilon;    // the ε that the person has paid for the report
  UnixSeconds made;   // the device's time when the report was made
  ReportState state;
  std::optional<UnixSeconds> settled;  // the device's time when the state became kDelivered or kDropped
  std::string reason;                  // if dropped, the reason; else empty
  ReportBytes bytes;                   // the encoded report, as sent or to be sent
};

// Keeps the reports that a ledger has paid for, so that every retry sends the same bytes. Ledger::pay() adds reports.
//
// Thread-safety: any number of threads may use an outbox at once. All operations can also return the errors of the
// ledger's RollbackCounter.
class Outbox {
 public:
  virtual ~Outbox() = default;

  // Returns the waiting reports to `task`, the oldest first, at most `most` reports. Drops reports that are too old.
  // After Ledger::opt_out() there are none. Errors: kIo, kInUse, kLedgerDamaged.
  virtual Result<std::vector<PendingReport>> pending(const TaskId& task, UnixSeconds now, std::size_t most) = 0;

  // Settles reports, all or none of them, in one transaction. Skips reports that are settled or not in the outbox.
  // Errors: kInvalidArgument (a state is kPending), kIo, kInUse, kLedgerDamaged.
  virtual Result<void> settle(std::span<const Settlement> settled, UnixSeconds now) = 0;
  // Settles one report.
  Result<void> settle(std::int64_t number, ReportState state, UnixSeconds now, const std::string& reason) {
    const Settlement one{number, state, reason};
    return settle(std::span(&one, 1), now);
  }

  // Returns at most `most` waiting, delivered and dropped reports, the newest first. Errors: kIo, kInUse,
  // kLedgerDamaged.
  virtual Result<std::vector<LoggedReport>> log(std::size_t most) const = 0;
};

}  // namespace hearsay::sdk
