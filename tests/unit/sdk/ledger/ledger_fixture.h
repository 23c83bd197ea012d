// What the tests of ledgers share.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

#include "hearsay/ledger.h"
#include "tests/support/tasks.h"

namespace hearsay::sdk::tests {

using hearsay::tests::kDay;

// Returns a task. Tasks with different titles are different tasks.
inline Task task_of(const std::string& title, const std::string& epsilon = "1") {
  TaskSpec spec = hearsay::tests::small_task("b", epsilon).spec();
  spec.title = title;
  return Task::create(std::move(spec)).value();
}

inline LedgerPolicy policy_of(std::uint64_t period, const char* budget = nullptr) {
  LedgerPolicy policy;
  if (period != 0) policy.period = std::chrono::seconds(period);
  if (budget != nullptr) policy.budget = Epsilon::parse(budget).value();
  return policy;
}

inline std::unique_ptr<Ledger> memory_ledger(const LedgerPolicy& policy, const OutboxLimits& limits = {}) {
  return Ledger::in_memory(policy, limits).value();
}

inline LedgerOptions options_of(const std::string& file, const LedgerPolicy& policy,
                                RollbackCounter* counter = nullptr) {
  LedgerOptions options;
  options.file = file;
  options.policy = policy;
  options.counter = counter;
  return options;
}

inline std::function<Result<ReportBytes>()> makes(ReportBytes bytes) {
  return [bytes]() -> Result<ReportBytes> { return bytes; };
}

inline std::string outcome(const Result<Payment>& payment) {
  if (!payment) return std::string(error_name(payment.error().code));
  return *payment == Payment::kReported ? "reported" : "already reported";
}
template <class T>
std::string outcome(const Result<T>& result) {
  return result ? "ok" : std::string(error_name(result.error().code));
}

inline std::string pay(Ledger& ledger, const Task& task, UnixSeconds now, ReportBytes bytes = {1, 2, 3}) {
  return outcome(ledger.pay(task, now, makes(std::move(bytes))));
}

inline std::vector<ReportBytes> waiting(Ledger& ledger, const Task& task, UnixSeconds now = 1,
                                        std::size_t most = 1'000) {
  std::vector<ReportBytes> bytes;
  const auto pending = ledger.outbox().pending(task.id(), now, most);
  for (const PendingReport& report : pending.value()) bytes.push_back(report.bytes);
  return bytes;
}

inline std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace hearsay::sdk::tests
