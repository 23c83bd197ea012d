#include "hearsay/client.h"

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "common/base/rational.h"
#include "common/base/try.h"
#include "common/random/bit_source.h"
#include "hearsay/clock.h"
#include "sdk/randomize/randomizer.h"
#include "sdk/upload/uploader.h"

namespace hearsay::sdk {
namespace {

Error mismatch(std::string message) { return {ErrorCode::kTaskMismatch, std::move(message)}; }

Result<void> compare_pin(const std::string& file, const std::string& id) {
  std::ifstream pinned(file);
  std::string first;
  if (!(pinned >> first)) return Error{ErrorCode::kIo, "cannot read the pin file '" + file + "'"};
  if (first != id) return mismatch("the task is not the one pinned in '" + file + "'");
  return {};
}

// Trust on first use: the first task id is remembered, another one later is refused. Only a file that does not exist
// means a first use, and only one of several clients creates it.
Result<void> check_pin(const std::string& file, const TaskId& task) {
  if (file.empty()) return {};
  const std::string id = task.to_string();
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> created(std::fopen(file.c_str(), "wx"), &std::fclose);
  if (!created) {
    if (errno == EEXIST) return compare_pin(file, id);
    return Error{ErrorCode::kIo, "cannot write the pin file '" + file + "'"};
  }
  if (std::fputs((id + '\n').c_str(), created.get()) < 0 || std::fflush(created.get()) != 0) {
    std::remove(file.c_str());
    return Error{ErrorCode::kIo, "cannot write the pin file '" + file + "'"};
  }
  return {};
}

Result<void> agree(const ClientOptions& options, const Task& task) {
  if (task.id() != options.task) return mismatch("the document served is not that of the task asked for");
  const auto claimed = Rational::create(task.epsilon().num(), task.epsilon().den());
  const auto accepted = Rational::create(options.max_epsilon.num(), options.max_epsilon.den());
  if (*claimed > *accepted) {
    return mismatch("the task's epsilon " + task.epsilon().to_string() + " exceeds the app's maximum " +
                    options.max_epsilon.to_string());
  }
  if (options.expected_schema && !task.schema().has_same_records(*options.expected_schema)) {
    return mismatch("the task's schema is not the one the app expects");
  }
  return check_pin(options.pin_file, task.id());
}

Result<Task> fetch(Transport& transport, const TaskId& id) {
  HEARSAY_TRY(const TransportResponse response, transport.get("/v1/tasks/" + id.to_string()));
  if (response.status != 200) return refusal(response);
  return Task::parse(response.body);
}

}  // namespace

struct Client::State {
  ClientOptions options;
  ClientDependencies dependencies;
  Randomizer randomizer;
  bool queued = false;             // the report has been put into the outbox
  std::optional<Error> dropped{};  // why a report was given up

  Result<void> make(const Record& record) {
    HEARSAY_TRY(const ReportBytes report, randomizer.report(record, dependencies.clock.now(), system_bit_source()));
    if (!queued) {
      HEARSAY_CHECK_OK(dependencies.outbox.put(report));
      queued = true;
    }
    return {};
  }

  Result<void> send_pending() {
    for (const ReportBytes& report : dependencies.outbox.pending()) {
      const UploadOutcome outcome = upload(dependencies.transport, dependencies.clock, system_bit_source(),
                                           options.retry, randomizer.task().id(), report);
      if (outcome.fate == Fate::kPending) return *outcome.error;
      HEARSAY_CHECK_OK(dependencies.outbox.acknowledge(report));  // it is settled, one way or the other
      if (outcome.fate == Fate::kDropped) dropped = outcome.error;
    }
    if (dropped) return *dropped;
    return {};
  }
};

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::create(const ClientOptions& options, const ClientDependencies& dependencies) {
  HEARSAY_TRY(const Task task, fetch(dependencies.transport, options.task));
  return create(options, task, dependencies);
}

Result<Client> Client::create(const ClientOptions& options, const Task& task, const ClientDependencies& dependencies) {
  HEARSAY_CHECK_OK(agree(options, task));
  return Client(std::make_unique<State>(State{options, dependencies, Randomizer(task, dependencies.ledger)}));
}

const Task& Client::task() const { return state_->randomizer.task(); }

Result<void> Client::submit(const Record& record) try {
  const auto made = state_->make(record);
  // Whatever came of this record: what is sent must not tell whether it is the one reported before.
  HEARSAY_CHECK_OK(state_->send_pending());
  return made;
} catch (const EntropyError& error) {
  return Error{ErrorCode::kEntropyFailed, error.what()};
}

Result<void> Client::send_pending() try { return state_->send_pending(); } catch (const EntropyError& error) {
  return Error{ErrorCode::kEntropyFailed, error.what()};
}

}  // namespace hearsay::sdk
