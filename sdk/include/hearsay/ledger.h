// A person's ledger: one file on the device that holds what was paid for reports, and the reports that were paid for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hearsay/clock.h"
#include "hearsay/epsilon.h"
#include "hearsay/outbox.h"
#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::sdk {

// How often a person reports, and how much all reports together may reveal.
//
// A person reports to each task at most once in a period, or at most once ever if there is no period. A period is a
// span of the device's clock: period number i begins at i times `period` after 1970-01-01T00:00:00Z.
struct LedgerPolicy {
  // The length of a period, in whole seconds, from 1 to 2^53. Empty: one period, which never ends.
  std::optional<std::chrono::seconds> period{};

  // The largest sum of ε over all reports to all tasks in one period. The sum is exact: ten reports of ε = 0.1 fit into
  // a budget of 1, an eleventh does not. Empty: every task may have its report in every period.
  std::optional<Epsilon> budget{};
};

// A number that only grows and that survives when the ledger's file is replaced by an older copy, for example a value
// in the platform's keystore. An app implements this interface if its platform has such a place.
class RollbackCounter {
 public:
  virtual ~RollbackCounter() = default;

  // Returns the number; 0 if it was never raised. Errors: any; the ledger then reports nothing.
  virtual Result<std::uint64_t> read() = 0;

  // Sets the number to `value`, which is never below the present number. Returns once the number is safely stored.
  // Errors: any; the ledger then reports nothing.
  virtual Result<void> raise(std::uint64_t value) = 0;
};

struct LedgerOptions {
  std::string file;                    // the database; made if it does not exist. The directory must exist
  LedgerPolicy policy;                 // fixed when the file is made; see Ledger::open()
  OutboxLimits outbox{};               // how many reports may wait
  RollbackCounter* counter = nullptr;  // if the app has one; must outlive the ledger
};

enum class Payment : std::uint8_t {
  kReported,         // paid; the report waits in the outbox
  kAlreadyReported,  // the person has reported to the task in this period; nothing was done
};

// Keeps one person's budget. Give each person one ledger for all tasks, not one for each task. Losses add up, and the
// ledger bounds what all its reports of a period reveal together.
//
// A report and its debit are one transaction of one SQLite database. So after a crash at any moment there are both, or
// neither. The database holds no record and nothing computed from a record but the randomized report.
//
// Thread-safety: any number of threads may use a ledger at once. Processes: only one at a time may have the file open.
// A child process made by fork() must not use the parent's ledger, and gets kInUse.
class Ledger {
 public:
  // Opens the ledger, or makes it with `options.policy`.
  //
  // The policy of an existing ledger never becomes looser: another period, a larger budget, or no budget where there
  // was one is kInvalidArgument. A smaller budget is taken over, and holds from then on.
  //
  // A relative file name is resolved once, against the present working directory. The file must have no second name
  // (symbolic or hard link), and no name that ends in -new, -journal, -wal or -shm.
  //
  // Errors: kIo, kInUse (another process, or another Ledger of this process, has the file open), kLedgerDamaged (the
  // file is no ledger, is damaged, or is older than the rollback counter says), kInvalidArgument, those of the counter.
  static Result<std::unique_ptr<Ledger>> open(const LedgerOptions& options);

  // Opens a ledger that exists, with the policy that it has and the default limits. For tools that show the log or opt
  // out. Errors: as open(); kIo if there is no such file, which is not made then.
  static Result<std::unique_ptr<Ledger>> open_existing(const std::string& file, RollbackCounter* counter = nullptr);

  // Makes a ledger in memory, which forgets everything when the process ends. For tests and tools.
  // Errors: kInvalidArgument.
  static Result<std::unique_ptr<Ledger>> in_memory(const LedgerPolicy& policy, const OutboxLimits& limits = {});

  virtual ~Ledger() = default;

  // Pays for one report of this person to `task` at the device's time `now`, and keeps the report.
  //
  // `randomize` makes the report. pay() calls `randomize` at most once, after everything else that can refuse, and
  // inside the transaction. If `randomize` fails, nothing is paid and nothing is kept: pay() forgets the bytes, which
  // have not left the device. If the disk fails, see kIo below. Otherwise the report waits in the outbox, and no other
  // bytes are ever sent for this payment. `randomize` is not called for kAlreadyReported or on an error that pay()
  // itself finds, so neither says anything about the record. `randomize` must not use this ledger.
  //
  // Errors: kBudgetExhausted (the period's budget does not pay for the task's ε, or the period is so old that the
  // ledger has closed it), kLimitExceeded (the outbox is full, or the ledger remembers no more tasks in one period),
  // kClockDiffers (`now` is more than a period from the server's time that the ledger heard last), kOptedOut, kInUse,
  // kLedgerDamaged, kIo, those of the counter, and every error of `randomize`.
  //
  // After kIo, or an error of the counter, the report may have been paid for all the same. Then the report waits in the
  // outbox, and the next call returns kAlreadyReported. There is never a second report.
  virtual Result<Payment> pay(const Task& task, UnixSeconds now,
                              const std::function<Result<ReportBytes>()>& randomize) = 0;

  // Remembers the time that a server told over an authenticated connection. pay() compares the device's clock with the
  // last such time, so that a wrong clock cannot open periods that have not begun.
  //
  // A policy without a period has no check. If the last server's time was heard more than a period ago, pay() returns
  // kClockDiffers even if the clock is right; the next flush asks the server again. If no server's time was ever heard,
  // pay() does not compare. But it returns kClockDiffers once there are about 1,000 gaps without a report between
  // periods with reports: they might be jumps of a wrong clock.
  //
  // Errors: kInvalidArgument (`time` is above 2^53), kIo, kInUse, kLedgerDamaged, those of the counter.
  virtual Result<void> note_server_time(UnixSeconds time) = 0;

  // Returns the outbox: the waiting reports, and a log of the reports that were sent. The outbox lives as long as the
  // ledger.
  virtual Outbox& outbox() = 0;

  // Ends reporting for this person. Removes all waiting reports, and the log. Every later pay() returns kOptedOut until
  // opt_in(). What was paid stays paid. From the moment opt_out() returns, an upload that asks the outbox gets nothing.
  // Errors: kIo, kInUse, kLedgerDamaged, those of the counter. If only raising the counter fails, the person has opted
  // out all the same, also after a restart.
  virtual Result<void> opt_out() = 0;
  // Ends an opt-out. Errors: those of opt_out(). After an error the person stays opted out in this process; after a
  // restart the person may be opted in.
  virtual Result<void> opt_in() = 0;
  // Returns true while the person has opted out. Errors: those of opt_out().
  virtual Result<bool> opted_out() const = 0;
};

}  // namespace hearsay::sdk
