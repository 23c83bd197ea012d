// The SDK's front door: a record in, a randomized report uploaded.
#pragma once

#include <memory>

#include "hearsay/options.h"
#include "hearsay/record.h"
#include "hearsay/task.h"
#include "hearsay/transport.h"

namespace hearsay {
class Clock;
}

namespace hearsay::sdk {

class Ledger;

// What a client stands on. Everything must outlive the client.
struct ClientDependencies {
  Transport& transport;
  Ledger& ledger;  // the person's budget over all tasks, see sdk/ledger/ledger.h
  Clock& clock;    // common/base/clock.h
};

// One person's client for one task. Calls block; one thread at a time.
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
  // differentially private in the record, ε = task().epsilon(). The same record asked for again gives the same bytes,
  // without a new debit. Errors: kBudgetExhausted, kEntropyFailed, kReportTooEarly, kTaskExpired (nothing was
  // randomized or sent); kServerRefused, kTimedOut, kConnectionFailed, kTlsFailed (the report stays pending;
  // send_pending() or the same record again sends the same bytes).
  Result<void> submit(const Record& record);

  // Uploads the reports whose upload has not succeeded yet. Stops at the first error.
  Result<void> send_pending();

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::sdk
