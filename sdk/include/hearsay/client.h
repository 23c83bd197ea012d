// The SDK's front door: a record in, a randomized report uploaded.
#pragma once

#include <memory>

#include "hearsay/ledger.h"
#include "hearsay/options.h"
#include "hearsay/outbox.h"
#include "hearsay/record.h"
#include "hearsay/task.h"
#include "hearsay/transport.h"

namespace hearsay {
class Clock;
}

namespace hearsay::sdk {

// What a client stands on. Everything must outlive the client.
struct ClientDependencies {
  Transport& transport;
  Ledger& ledger;  // the person's budget over all tasks
  Outbox& outbox;  // of this client alone
  Clock& clock;    // common/base/clock.h
};

// One person's client for one report to one task. Calls block; one thread at a time. For another report, in a later
// window say, the app makes another client: that is another randomization and another debit, whether or not the record
// has changed.
class Client {
 public:
  // Fetches the task's document over the transport and agrees to it or not. Errors: kTaskMismatch (not the document of
  // options.task, ε above max_epsilon, another schema, another id than the pinned one), kServerRefused, those of the
  // transport and of Task::parse, kIo (pin file).
  static Result<Client> create(const ClientOptions& options, const ClientDependencies& dependencies);
  // The same for a task that the app has already, e.g. from another client or built in.
  static Result<Client> create(const ClientOptions& options, const Task& task, const ClientDependencies& dependencies);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  const Task& task() const;

  // Randomizes the record and uploads the report, trying again as the options say. What leaves the device is ε-locally
  // differentially private in the record, ε = task().epsilon(). Asked again for the same record, sends the same bytes
  // if they are not acknowledged yet, and nothing otherwise; asked for another one, sends no more and no less, and
  // refuses. Errors: kBudgetExhausted (also for another record than the reported one), kEntropyFailed, kReportTooEarly,
  // kTaskExpired, kInvalidRecord, kIo (ledger or outbox): nothing was made of this record; kTimedOut,
  // kConnectionFailed, kTlsFailed: the report stays pending; kServerRefused: likewise, or, if the server will never
  // take it (sdk/upload/README.md), it is given up and gone from the outbox. A report that is given up is not
  // randomized anew: its budget is spent, and every later call gives the same error.
  Result<void> submit(const Record& record);

  // Uploads the report if it is still pending. Errors: as the last four of submit(), and kIo.
  Result<void> send_pending();

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::sdk
