// The device's randomizer: pays the ledger, randomizes once, remembers the bytes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/base/clock.h"
#include "common/random/bit_source.h"
#include "hearsay/record.h"
#include "hearsay/task.h"
#include "sdk/ledger/ledger.h"

namespace hearsay::sdk {

// Links OpenSSL's crypto and nothing else at run time. One thread at a time.
class Randomizer {
 public:
  // `ledger` must outlive the randomizer.
  Randomizer(Task task, Ledger& ledger) : task_(std::move(task)), ledger_(&ledger) {}

  const Task& task() const { return task_; }

  // The encoded report of the record (common/report/format.md). The first call for a record debits task().epsilon() and
  // randomizes; further calls for an equal record return the same bytes and cost nothing.
  // Errors: kBudgetExhausted, kIo (ledger), kEntropyFailed, kReportTooEarly, kTaskExpired; then no report exists. A
  // debit that was made stays.
  Result<std::vector<std::uint8_t>> report(const Record& record, UnixSeconds now, BitSource& bits);

 private:
  Task task_;
  Ledger* ledger_;
  std::map<std::vector<std::uint32_t>, std::vector<std::uint8_t>> reports_;  // by the record's values
};

}  // namespace hearsay::sdk
