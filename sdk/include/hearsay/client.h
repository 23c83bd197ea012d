// A client takes one person's record, randomizes the record on the device and uploads the report.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "hearsay/cancellation.h"
#include "hearsay/clock.h"
#include "hearsay/companion.h"
#include "hearsay/ledger.h"
#include "hearsay/options.h"
#include "hearsay/record.h"
#include "hearsay/task.h"
#include "hearsay/transport.h"

namespace hearsay::sdk {

// The parts that a client works with. Each part must outlive the client.
struct ClientDependencies {
  Transport& transport;  // reaches the aggregator; several clients may share a transport
  Ledger& ledger;        // the person's budget and reports, over all tasks
  Clock& clock;
};

// The results of one flush().
struct FlushSummary {
  std::size_t delivered = 0;
  std::size_t dropped = 0;       // reports that the client gave up; Outbox::log() says why
  std::size_t pending = 0;       // reports that wait for a later flush
  std::optional<Error> problem;  // the last problem: why reports wait, or why the client gave reports up
};

// Makes one person's reports to one task.
//
// An app calls submit() when it has a record, and flush() whenever the device has network and time, for example from a
// background job of the platform. submit() does not use the network. So an observer of the network sees only the flush,
// which happens later.
//
// Thread-safety: any number of threads may use a client at once. Only one flush() of a client runs at a time; another
// flush() waits, for at most its own deadline. Several clients may share a ledger. If two clients send the same report
// at the same time, the aggregator counts the report once.
//
// In a child process made by fork(), every call of the parent's client that can fail returns kInUse.
class Client {
 public:
  // Fetches the document of the task `options.task` over the transport and checks the task against `options`.
  // Waits for the network within `limits` and the transport's own timeout, whichever ends first.
  // Errors: kTaskMismatch (the document has another id than `options.task`, the task's ε is above
  // `options.max_epsilon`, the schema is not the expected one, or another task is pinned), kServerRefused, kIo (pin
  // file), kInvalidArgument (the pin file's name holds a NUL character), every error of Transport::get() and of
  // Task::parse().
  static Result<Client> create(const ClientOptions& options, const ClientDependencies& dependencies,
                               const ExchangeLimits& limits = {std::chrono::milliseconds::max()});

  // Makes a client without the network, for a task that the app has already.
  static Result<Client> create(const ClientOptions& options, const Task& task, const ClientDependencies& dependencies);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  const Task& task() const;

  // Pays for a report of the record, randomizes the record and puts the report into the outbox. Uses no network.
  //
  // Privacy: the report is ε-locally differentially private in the record, with ε = task().epsilon(). A second call in
  // the same period of the ledger returns kAlreadyReported without looking at the record.
  //
  // Errors: kReportTooEarly, kTaskExpired (by the device's clock, or the aggregator has told a flush that the task
  // takes no more reports), kInvalidRecord (the record is of another schema), kEntropyFailed, and every error of
  // Ledger::pay(). After an error no report was made, except perhaps after kIo or an error of the counter: see
  // Ledger::pay().
  //
  // After kClockDiffers call flush(), even if no report waits: the flush asks the server for the time. If the device's
  // clock is right, the next submit() reports.
  Result<Payment> submit(const Record& record);

  // Like submit(), for a record in JSON; see Record::parse(). If the result is kAlreadyReported, the record was not
  // read. Errors: those of submit() and of Record::parse().
  Result<Payment> submit_json(std::string_view record);

  // Like submit(), for raw texts in JSON, which a companion document of the task's schema turns into a record; see
  // Companion::record_from_json(). If the result is kAlreadyReported, the texts were not read. Errors: those of
  // submit() and of Companion::record_from_json().
  Result<Payment> submit_texts(const Companion& companion, std::string_view texts);

  // Uploads the reports to this task that wait in the outbox, with retries as `ClientOptions` says. Returns once this
  // flush can send no further report. No exchange and no wait lasts beyond `deadline`, counted from the call. Returns
  // soon after cancel(), or after another thread calls cancellation->request(). Also learns the server's time, for
  // Ledger::note_server_time().
  //
  // A request can hold several reports. sdk/upload/README.md says what each answer of the aggregator means. If the
  // aggregator answers that the task is closed, has expired or is unknown, the client drops all waiting reports to the
  // task.
  //
  // Errors: kIo, kInUse, kLedgerDamaged (the ledger failed), kEntropyFailed. A failure of the network or the server is
  // no error: the summary says how many reports still wait, and why.
  Result<FlushSummary> flush(std::chrono::milliseconds deadline, Cancellation* cancellation = nullptr);

  // Ends every flush() of this client that is under way or waits for its turn. These calls return soon, and their
  // reports stay in the outbox. A later flush() works as usual. Thread-safety: any thread.
  void cancel();

  // Calls Ledger::opt_out() and cancels the flushes of all clients that share the ledger. Once opt_out() has returned,
  // no further exchange begins. An exchange under way ends soon. Errors: those of Ledger::opt_out().
  Result<void> opt_out();

  // For scripts: calls submit() and then flush(). No exchange and no wait lasts beyond `timeout`, counted from the
  // call. After kClockDiffers, asks the server for the time and tries once more. Errors: those of submit() and of
  // flush().
  //
  // Privacy: somebody who watches the network sees when the app made the call. An app should call submit() and flush()
  // at separate times.
  Result<FlushSummary> report(const Record& record, std::chrono::milliseconds timeout);

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hearsay::sdk
