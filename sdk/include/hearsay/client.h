// The SDK's front door: a client takes one person's record, randomizes it on the device and uploads the report.
#pragma once

#include <memory>

#include "hearsay/clock.h"
#include "hearsay/ledger.h"
#include "hearsay/options.h"
#include "hearsay/outbox.h"
#include "hearsay/record.h"
#include "hearsay/task.h"
#include "hearsay/transport.h"

namespace hearsay::sdk {

// The parts that a client works with. Each part must outlive the client.
struct ClientDependencies {
  Transport& transport;  // reaches the aggregator
  Ledger& ledger;        // the person's budget over all tasks
  Outbox& outbox;        // for this client alone
  Clock& clock;
};

// Makes one report of one person to one task.
//
// The app makes a new client for another report, for example in a later window of the task. The new client randomizes
// again and debits the ledger again, whether or not the record has changed.
//
// Thread-safety: one thread at a time. Calls block.
class Client {
 public:
  // Fetches the document of the task `options.task` over the transport and checks that the app agrees to the task.
  // Errors: kTaskMismatch (the document is not that of `options.task`, the task's ε is above `options.max_epsilon`, the
  // schema is not the expected one, or another task is pinned), kServerRefused, kIo (pin file), every error of
  // Transport::get() and of Task::parse().
  static Result<Client> create(const ClientOptions& options, const ClientDependencies& dependencies);

  // Does the same for a task that the app has already, for example from another client or built into the app.
  static Result<Client> create(const ClientOptions& options, const Task& task, const ClientDependencies& dependencies);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  const Task& task() const;

  // Randomizes the record and uploads the report. Retries as `ClientOptions::retry` says.
  //
  // Privacy: what leaves the device is ε-locally differentially private in the record, with ε = task().epsilon().
  //
  // A second call never makes a second report. If the report is still pending, the second call sends the same bytes
  // again. If the aggregator has acknowledged the report, the second call sends nothing. A second call with another
  // record sends exactly the same, and then fails with kBudgetExhausted.
  //
  // Errors, when no report was made of this record: kBudgetExhausted, kEntropyFailed, kReportTooEarly, kTaskExpired,
  // kInvalidRecord, kIo (ledger or outbox).
  // Errors, when the report stays pending: kTimedOut, kConnectionFailed, kTlsFailed, kCancelled, kIo (certificate
  // files, outbox), kServerRefused.
  // Error, when the aggregator will never take the report: kServerRefused. The report is then removed from the outbox.
  // The client does not randomize again, since the budget is spent; every later call returns the same error.
  // sdk/upload/README.md lists the refusals of each kind.
  Result<void> submit(const Record& record);

  // Uploads the report if the report is still pending.
  // Errors: kTimedOut, kConnectionFailed, kTlsFailed, kCancelled, kServerRefused and kIo, as for submit(); also
  // kEntropyFailed.
  Result<void> send_pending();

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::sdk
