// A person's ledger: one file on the device that holds the payments for reports, and the reports themselves.
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
  // a budget of 1, an eleventh does not. Empty: no limit.
  std::optional<Epsilon> budget{};
};

// A number that only grows, for example a value in the platform's keystore. Putting back an older copy of the ledger's
// file must not change the number. An app implements this interface if its platform has a place for such a number.
class RollbackCounter {
 public:
  virtual ~RollbackCounter() = default;

  // Returns the number, or 0 if raise() was never called. Errors: any. After an error the ledger pays for no report.
  virtual Result<std::uint64_t> read() = 0;

  // Sets the number to `value`, which is at least the present number. Returns once the number is safely stored. Errors:
  // any. After an error the ledger pays for no report.
  virtual Result<void> raise(std::uint64_t value) = 0;
};

struct LedgerOptions {
  std::string file;                    // the database, made if it does not exist; the directory must exist
  LedgerPolicy policy;                 // open() says how the policy of an existing ledger can change
  OutboxLimits outbox{};               // limits of the waiting and of the logged reports
  RollbackCounter* counter = nullptr;  // null, or a counter that outlives the ledger
};

enum class Payment : std::uint8_t {
  kReported,         // paid; the report waits in the outbox
  kAlreadyReported,  // the person has reported to the task in this period; nothing was done
};

// Keeps one person's budget. Give each person one ledger for all tasks, not one for each task: the privacy losses of
// all reports add up, and a ledger bounds only the sum of its own reports in a period.
//
// A report and its debit are one transaction of one SQLite database. So after a crash at any moment the database holds
// both, or neither. The database holds no record. The randomized report is the only value in the database that is
// computed from a record.
//
// Thread-safety: any number of threads may use a ledger at once. Processes: only one at a time may have the file open.
// In a child process made by fork(), the calls of the parent's ledger return kInUse.
class Ledger {
 public:
  // Opens the ledger, or makes a ledger with `options.policy`.
  //
  // The policy of an existing ledger cannot become looser: another period, a larger budget, or no budget where there
  // was one is kInvalidArgument. If `options` has a smaller budget, the ledger keeps the smaller budget from then on.
  //
  // open() resolves a relative file name once, against the present working directory. The file must have no second name
  // (symbolic or hard link), and no name that ends in -new, -journal, -wal or -shm.
  //
  // Errors: kIo, kInUse (another process, or another Ledger of this process, has the file open), kLedgerDamaged (the
  // file is no ledger, is damaged, or is older than the rollback counter says), kInvalidArgument, those of the counter.
  static Result<std::unique_ptr<Ledger>> open(const LedgerOptions& options);

  // Opens an existing ledger with the ledger's own policy and the default limits, for tools that show the log or opt
  // out. Errors: those of open(), and kIo if the file does not exist.
  static Result<std::unique_ptr<Ledger>> open_existing(const std::string& file, RollbackCounter* counter = nullptr);

  // Makes a ledger in memory, for tests and tools. The ledger ends with the process. Errors: kInvalidArgument.
  static Result<std::unique_ptr<Ledger>> in_memory(const LedgerPolicy& policy, const OutboxLimits& limits = {});

  virtual ~Ledger() = default;

  // Pays for one report of this person to `task` at the device's time `now`, and keeps the report.
  //
  // `randomize` makes the report. pay() calls `randomize` at most once, inside the transaction, after all of its own
  // checks. If `randomize` fails, pay() pays nothing and keeps nothing. If the disk fails, see kIo below. Otherwise the
  // report waits in the outbox, and no other bytes are sent for this payment. pay() does not call `randomize` before it
  // returns kAlreadyReported or an error of its own checks, so these results say nothing about the record. `randomize`
  // must not use this ledger.
  //
  // Errors: kBudgetExhausted (the period's budget does not pay for the task's ε, or the ledger has closed the period),
  // kLimitExceeded (the outbox is full, or the period has too many payments), kClockDiffers (`now` differs from the
  // server's time by more than a period; see note_server_time()), kOptedOut, kInUse, kLedgerDamaged, kIo, those of the
  // counter, and every error of `randomize`.
  //
  // After kIo, or an error of the counter, the payment may still be in the file. In this case the report waits in the
  // outbox, and the next call returns kAlreadyReported and makes no second report.
  virtual Result<Payment> pay(const Task& task, UnixSeconds now,
                              const std::function<Result<ReportBytes>()>& randomize) = 0;

  // Remembers the time that a server told over an authenticated connection. pay() compares the device's clock with this
  // time, so that a wrong clock cannot open periods that have not begun.
  //
  // With a policy without a period, pay() does not compare. If the server told its time more than a period ago, pay()
  // returns kClockDiffers even if the clock is right; the next flush asks the server again. If no server has told the
  // time, pay() does not compare. In this case pay() counts the gaps between periods with reports, since a wrong clock
  // might have jumped over the gaps. After about 1,000 gaps pay() returns kClockDiffers.
  //
  // Errors: kInvalidArgument (`time` is above 2^53), kIo, kInUse, kLedgerDamaged, those of the counter.
  virtual Result<void> note_server_time(UnixSeconds time) = 0;

  // Returns the outbox: the waiting reports, and a log of the delivered and dropped reports. The outbox lives as long
  // as the ledger.
  virtual Outbox& outbox() = 0;

  // Ends reporting for this person. Removes all waiting reports, and the log. Every later pay() returns kOptedOut until
  // opt_in(). The payments stay. Once opt_out() has returned, the outbox gives no report to an upload. Errors: kIo,
  // kInUse, kLedgerDamaged, those of the counter. If only raising the counter fails, the opt-out still holds, also
  // after a restart.
  virtual Result<void> opt_out() = 0;
  // Ends an opt-out. Errors: those of opt_out(). After an error the person stays opted out in this process; after a
  // restart the person may be opted in.
  virtual Result<void> opt_in() = 0;
  // Returns true while the person has opted out. Errors: those of opt_out().
  virtual Result<bool> opted_out() const = 0;
};

}  // namespace hearsay::sdk
