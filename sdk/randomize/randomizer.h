// The device's randomizer: pays the ledger, randomizes once, remembers the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/random/bit_source.h"
#include "hearsay/clock.h"
#include "hearsay/ledger.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay::sdk {

// Makes one report. Links OpenSSL's crypto and nothing else at run time. One thread at a time.
class Randomizer {
 public:
  // `ledger` must outlive the randomizer.
  Randomizer(Task task, Ledger& ledger) : task_(std::move(task)), ledger_(&ledger) {}

  const Task& task() const { return task_; }

  // The encoded report of the record (common/report/format.md). The first call debits task().epsilon() and randomizes;
  // further calls for an equal record return the same bytes and cost nothing. Another record is refused: a second
  // report would tell that the record changed, which no debit pays for. Keeps the record in memory to compare. Errors:
  // kBudgetExhausted (the ledger's, or another record than the reported one), kIo (ledger), kEntropyFailed,
  // kReportTooEarly, kTaskExpired, kInvalidRecord; then no report was made. A debit that was made stays.
  Result<std::vector<std::uint8_t>> report(const Record& record, UnixSeconds now, BitSource& bits);

 private:
  struct Reported {
    Record record;
    std::vector<std::uint8_t> bytes;
  };

  Task task_;
  Ledger* ledger_;
  std::optional<Reported> reported_;
};

}  // namespace hearsay::sdk
