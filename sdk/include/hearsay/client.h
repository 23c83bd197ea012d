// The SDK's front door: a client takes one person's record, randomizes it on the device and uploads the report.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "hearsay/clock.h"
#include "hearsay/ledger.h"
#include "hearsay/options.h"
#include "hearsay/record.h"
#include "hearsay/task.h"
#include "hearsay/transport.h"

namespace hearsay::sdk {

// The parts that a client works with. Each part must outlive the client.
struct ClientDependencies {
  Transport& transport;  // reaches the aggregator
  Ledger& ledger;        // the person's budget and reports, over all tasks
  Clock& clock;
};

// What became of the reports in one flush().
struct FlushSummary {
  std::size_t delivered = 0;
  std::size_t dropped = 0;       // the aggregator will never take them; the log of the outbox says why
  std::size_t pending = 0;       // wait for a later flush
  std::optional<Error> problem;  // why reports still wait, if any do
};

// Makes one person's reports to one task.
//
// An app calls submit() when it has a record, and flush() whenever the device has network and time, for example from a
// background job of the platform. submit() never waits for the network. So what an observer of the network sees is a
// later event, with a delay of its own.
//
// Thread-safety: any number of threads may use a client at once. Only one flush() runs at a time; another one waits.
// A child process made by fork() must not use the client, and gets kInUse.
class Client {
 public:
  // Fetches the document of the task `options.task` over the transport and checks that the app agrees to the task.
  // Errors: kTaskMismatch (the document is not that of `options.task`, the task's ε is above `options.max_epsilon`, the
  // schema is not the expected one, or another task is pinned), kServerRefused, kIo (pin file), every error of
  // Transport::get() and of Task::parse().
  static Result<Client> create(const ClientOptions& options, const ClientDependencies& dependencies);

  // Does the same for a task that the app has already, for example from another client or built into the app. Needs no
  // network.
  static Result<Client> create(const ClientOptions& options, const Task& task, const ClientDependencies& dependencies);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  const Task& task() const;

  // Pays for a report of the record, randomizes the record and puts the report into the outbox. Uses no network.
  //
  // Privacy: the report is ε-locally differentially private in the record, with ε = task().epsilon(). A second call in
  // the same period of the ledger returns kAlreadyReported without looking at the record, whatever the record is.
  //
  // Errors, when no report was made: kReportTooEarly, kTaskExpired, kInvalidRecord (the record is of another schema),
  // kEntropyFailed, and every error of Ledger::pay().
  Result<Payment> submit(const Record& record);

  // Uploads this task's reports that wait in the outbox, for at most `deadline`, with retries as `ClientOptions` says.
  // Also learns the server's time, for Ledger::note_server_time().
  // Errors: kIo, kInUse, kLedgerDamaged (the ledger failed). That the network or the server failed is no error: the
  // summary says which reports still wait and why.
  Result<FlushSummary> flush(std::chrono::milliseconds deadline);

  // Ends a flush() under way within 50 ms, and lets later ones go on. Its reports stay in the outbox. From any thread.
  void cancel();

  // Does submit() and flush() in one call, for scripts.
  //
  // Privacy: the caller's clock sees how long the upload took, and who watches the network sees when the call was made.
  // An app should use submit() and flush(), whose times say nothing about each other.
  Result<FlushSummary> report(const Record& record, std::chrono::milliseconds timeout);

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::sdk
