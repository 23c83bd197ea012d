#include "hearsay/client.h"

#include <openssl/crypto.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <utility>

#include "common/base/try.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "sdk/client/flushes.h"
#include "sdk/client/pin.h"
#include "sdk/upload/uploader.h"
#include "sdk/upload/verdict.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;

Error mismatch(std::string message) { return {ErrorCode::kTaskMismatch, std::move(message)}; }

Result<void> agree(const ClientOptions& options, const Task& task) {
  if (task.id() != options.task) {
    return mismatch("the aggregator sent the document of another task than the app asked for");
  }
  if (task.epsilon() > options.max_epsilon) {
    return mismatch("the task's epsilon " + task.epsilon().to_string() + " exceeds the app's maximum " +
                    options.max_epsilon.to_string());
  }
  if (options.expected_schema && !task.schema().has_same_records(*options.expected_schema)) {
    return mismatch("the task's schema is not the one the app expects");
  }
  return check_pin(options.pin_file, task.id());
}

Result<Task> fetch(const ClientDependencies& dependencies, const TaskId& id, const ExchangeLimits& limits) {
  HEARSAY_TRY(const TransportResponse response, dependencies.transport.get("/v1/tasks/" + id.to_string(), limits));
  if (response.date) {
    // The ledger refuses a date out of range. The client goes on without this date.
    const auto noted = dependencies.ledger.note_server_time(*response.date);
    if (!noted && noted.error().code != ErrorCode::kInvalidArgument) return noted.error();
  }
  if (response.status != 200) return refusal(response);
  return Task::parse(response.body);
}

// Returns the encoded report of the record. The amount of memory may depend on the noise, so a lack of memory must look
// to the app like a lack of random bits.
Result<ReportBytes> make_report(const Task& task, const Record& record, UnixSeconds now) try {
  HEARSAY_TRY(Report report, randomize(task, record, now, system_bit_source()));
  ReportBytes bytes;
  append_report(report, bytes);
  // The ledger can still fail to pay for the report. So no copy of the payload may stay in memory.
  OPENSSL_cleanse(report.payload.data(), report.payload.size());
  return bytes;
} catch (const EntropyError& error) {
  return Error{ErrorCode::kEntropyFailed, error.what()};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kEntropyFailed, "there is no memory for the report"};
}

}  // namespace

struct Client::State {
  State(const ClientOptions& options, const Task& of, const ClientDependencies& with)
      : task(of), dependencies(with), uploader(with, options.retry, of.id()) {}

  const Task task;
  const ClientDependencies dependencies;
  const pid_t process = ::getpid();
  Uploader uploader;
  std::mutex mutex;
  std::condition_variable turn;  // signals that no flush uses the uploader
  bool flushing = false;

  // A forked child has copies of the parent's reports, and of the parent's locks, which may be held for ever.
  Result<void> check_process() const {
    if (::getpid() == process) return {};
    return Error{ErrorCode::kInUse,
                 "a child process must not use its parent's client; make a client in the child process"};
  }

  // Calls `record` only after the ledger's checks. So a second call in a period does not look at the record.
  Result<Payment> submit(const std::function<Result<Record>()>& record) {
    HEARSAY_CHECK_OK(check_process());
    if (const auto closed = uploader.closed()) return *closed;
    const UnixSeconds now = dependencies.clock.now();
    const auto paid = dependencies.ledger.pay(task, now, [&]() -> Result<ReportBytes> {
      HEARSAY_TRY(const Record given, record());
      return make_report(task, given, now);
    });
    if (!paid && paid.error().code == ErrorCode::kClockDiffers) uploader.ask_for_time();
    return paid;
  }

  // Waits until no other thread flushes. Returns false at `end`, or once cancel_turn() has set `cancelled`.
  bool take_turn(std::chrono::steady_clock::time_point end, const bool& cancelled) {
    std::unique_lock lock(mutex);
    if (!turn.wait_until(lock, end, [&] { return cancelled || !flushing; }) || cancelled) return false;
    flushing = true;
    return true;
  }

  void cancel_turn(bool& cancelled) {
    {
      const std::lock_guard lock(mutex);
      cancelled = true;
    }
    turn.notify_all();
  }

  void give_turn() {
    {
      const std::lock_guard lock(mutex);
      flushing = false;
    }
    turn.notify_all();
  }
};

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() {
  // A forked child leaks the state. Destroying the state's condition variable could wait for ever for a thread that
  // only the parent has.
  if (state_ && !state_->check_process()) static_cast<void>(state_.release());
}

Result<Client> Client::create(const ClientOptions& options, const ClientDependencies& dependencies,
                              const ExchangeLimits& limits) {
  HEARSAY_TRY(const Task task, fetch(dependencies, options.task, limits));
  return create(options, task, dependencies);
}

Result<Client> Client::create(const ClientOptions& options, const Task& task, const ClientDependencies& dependencies) {
  HEARSAY_CHECK_OK(agree(options, task));
  return Client(std::make_unique<State>(options, task, dependencies));
}

const Task& Client::task() const { return state_->task; }

Result<Payment> Client::submit(const Record& record) {
  return state_->submit([&]() -> Result<Record> { return record; });
}

Result<Payment> Client::submit_json(std::string_view record) {
  return state_->submit([&] { return Record::parse(state_->task.schema(), record); });
}

Result<Payment> Client::submit_texts(const Companion& companion, std::string_view texts) {
  return state_->submit([&] { return companion.record_from_json(texts); });
}

Result<FlushSummary> Client::flush(milliseconds deadline, Cancellation* cancellation) try {
  HEARSAY_CHECK_OK(state_->check_process());
  constexpr milliseconds kLongest = std::chrono::hours(24 * 365);
  const auto start = std::chrono::steady_clock::now();
  const auto end = start + std::min(deadline, kLongest);
  State& state = *state_;
  Cancellation own;
  bool cancelled = false;
  const Cancellation::Hook wake(&own, [&] { state.cancel_turn(cancelled); });
  const Cancellation::Hook forward(cancellation, [&own] { own.request(); });
  const Flushes::Entry entry(&state, state.dependencies.ledger, own);
  if (cancellation != nullptr && cancellation->requested()) own.request();
  if (!state.take_turn(end, cancelled)) {
    FlushSummary summary;
    summary.problem = own.requested() ? Error{ErrorCode::kCancelled, "the flush was cancelled"}
                                      : Error{ErrorCode::kTimedOut, "another flush took all the time of this flush"};
    HEARSAY_TRY(const auto left, state.dependencies.ledger.outbox().pending(
                                     state.task.id(), state.dependencies.clock.now(), kEveryReport));
    summary.pending = left.size();
    return summary;
  }
  const auto waited = std::chrono::ceil<milliseconds>(std::chrono::steady_clock::now() - start);
  struct Turn {
    State& of;
    ~Turn() { of.give_turn(); }
  } const turn{state};
  return state.uploader.flush(deadline - std::min(waited, deadline), own, system_bit_source());
} catch (const EntropyError& error) {
  return Error{ErrorCode::kEntropyFailed, error.what()};
}

void Client::cancel() {
  if (state_->check_process()) Flushes::of_process().cancel(state_.get());
}

Result<void> Client::opt_out() {
  HEARSAY_CHECK_OK(state_->check_process());
  // Opts out in the ledger first, and then ends the flushes. So a flush that begins between the two steps finds nothing
  // to send.
  const auto done = state_->dependencies.ledger.opt_out();
  Flushes::of_process().cancel(state_->dependencies.ledger);
  return done;
}

Result<FlushSummary> Client::report(const Record& record, milliseconds timeout) {
  Clock& clock = state_->dependencies.clock;
  const milliseconds end = clock.steady() + std::min<milliseconds>(timeout, std::chrono::hours(24 * 365));
  auto paid = submit(record);
  if (!paid && paid.error().code == ErrorCode::kClockDiffers) {
    HEARSAY_TRY(const FlushSummary asked, flush(timeout));
    paid = submit(record);
  }
  if (!paid) return paid.error();
  return flush(end - clock.steady());
}

}  // namespace hearsay::sdk
