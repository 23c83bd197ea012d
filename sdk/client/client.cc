#include "hearsay/client.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/base/clock.h"
#include "common/base/try.h"
#include "sdk/outbox/outbox.h"
#include "sdk/randomize/randomizer.h"
#include "sdk/upload/uploader.h"

namespace hearsay::sdk {
namespace {

Error mismatch(std::string message) { return {ErrorCode::kTaskMismatch, std::move(message)}; }

// Trust on first use: the first task id is remembered, another one later is refused.
Result<void> check_pin(const std::string& file, const TaskId& task) {
  if (file.empty()) return {};
  const std::string id = task.to_string();
  if (std::ifstream pinned(file); pinned) {
    std::string first;
    pinned >> first;
    if (first != id) return mismatch("the task is not the one pinned in '" + file + "'");
    return {};
  }
  const std::string temporary = file + ".new";
  std::ofstream out(temporary);
  out << id << '\n';
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(temporary, file, failed);
  if (!out || failed) return Error{ErrorCode::kIo, "cannot write the pin file '" + file + "'"};
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
  if (options.expected_schema && !(task.schema() == *options.expected_schema)) {
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
  MemoryOutbox outbox;

  Result<void> send(const ReportBytes& report) {
    HEARSAY_CHECK_OK(upload(dependencies.transport, dependencies.clock, system_bit_source(), options.retry,
                            randomizer.task().id(), report));
    return outbox.acknowledge(report);
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
  return Client(std::make_unique<State>(State{options, dependencies, Randomizer(task, dependencies.ledger), {}}));
}

const Task& Client::task() const { return state_->randomizer.task(); }

Result<void> Client::submit(const Record& record) {
  HEARSAY_TRY(const ReportBytes report,
              state_->randomizer.report(record, state_->dependencies.clock.now(), system_bit_source()));
  HEARSAY_CHECK_OK(state_->outbox.put(report));
  return state_->send(report);
}

Result<void> Client::send_pending() {
  for (const ReportBytes& report : state_->outbox.pending()) {
    HEARSAY_CHECK_OK(state_->send(report));
  }
  return {};
}

}  // namespace hearsay::sdk
