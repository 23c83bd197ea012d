// The command `hearsay-report`: makes and sends a report from a shell script.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "common/base/try.h"
#include "hearsay/client.h"
#include "sdk/report_command/arguments.h"
#include "sdk/report_command/report_log.h"
#include "sdk/report_command/text.h"

namespace {

using namespace hearsay;

constexpr int kArrived = 0;
constexpr int kWaits = 1;
constexpr int kNotMade = 2;
constexpr int kRefused = 3;

// Reads the task's document if the program can open a file with this name. Otherwise returns nothing: the name is a
// task's id.
Result<std::optional<Task>> read_task(const std::string& name) {
  std::ifstream file(name);
  if (!file) return std::optional<Task>();
  HEARSAY_TRY(const std::string text, sdk::read_all(file, name));
  HEARSAY_TRY(const Task task, Task::parse(text));
  return std::optional<Task>(task);
}

Result<sdk::Client> make_client(const sdk::ReportArguments& arguments, const std::optional<Task>& task,
                                const sdk::ClientDependencies& dependencies) {
  sdk::ClientOptions options{{}, arguments.max_epsilon, {}, "", {}};
  if (task) {
    options.task = task->id();
    return sdk::Client::create(options, *task, dependencies);
  }
  const auto id = TaskId::parse(arguments.task);
  if (!id) {
    return Error{ErrorCode::kInvalidArgument,
                 "'" + arguments.task + "' is neither a file that can be read nor a task's id"};
  }
  options.task = *id;
  return sdk::Client::create(options, dependencies);
}

// After kClockDiffers, asks the server for the time and tries once more.
Result<sdk::Payment> submit(sdk::Client& client, const std::optional<Companion>& companion, const std::string& record,
                            std::chrono::milliseconds left) {
  const auto once = [&] { return companion ? client.submit_texts(*companion, record) : client.submit_json(record); };
  auto paid = once();
  if (!paid && paid.error().code == ErrorCode::kClockDiffers) {
    HEARSAY_TRY(const sdk::FlushSummary asked, client.flush(left));
    paid = once();
  }
  return paid;
}

Result<std::optional<Companion>> read_companion(const std::string& name, const Task& task) {
  if (name.empty()) return std::optional<Companion>();
  std::ifstream file(name);
  if (!file) return Error{ErrorCode::kIo, "'" + name + "' cannot be read"};
  HEARSAY_TRY(const std::string text, sdk::read_all(file, name));
  auto companion = Companion::parse(task.schema(), text);
  if (!companion) return Error{companion.error().code, name + ": " + companion.error().message};
  return std::optional<Companion>(*companion);
}

int tell(const sdk::FlushSummary& summary) {
  const std::string reason = summary.problem ? ": " + sdk::printable(summary.problem->message) : "";
  if (summary.pending > 0) {
    std::cout << "waits" << reason << '\n';
    return kWaits;
  }
  if (summary.dropped > 0) {
    std::cout << "refused" << reason << '\n';
    return kRefused;
  }
  std::cout << (summary.delivered > 0 ? "reported\n" : "already reported\n");
  return kArrived;
}

Result<int> report(sdk::ReportArguments arguments, sdk::Ledger& ledger) {
  HEARSAY_TRY(const std::optional<Task> task, read_task(arguments.task));
  if (arguments.record == "-") {
    HEARSAY_TRY(arguments.record, sdk::read_all(std::cin, "standard input"));
  }
  const auto clock = make_system_clock();
  const auto end = clock->steady() + arguments.timeout;
  arguments.server.timeout = std::min(arguments.server.timeout, arguments.timeout);
  HEARSAY_TRY(const auto transport, sdk::make_https_transport(arguments.server));
  HEARSAY_TRY(sdk::Client client, make_client(arguments, task, {*transport, ledger, *clock}));
  HEARSAY_TRY(const std::optional<Companion> companion, read_companion(arguments.companion, client.task()));
  const auto paid = submit(client, companion, arguments.record, end - clock->steady());
  const auto summary = client.flush(end - clock->steady());
  if (!paid) return paid.error();
  if (!summary) return summary.error();
  return tell(*summary);
}

Result<int> run(sdk::ReportArguments arguments) {
  switch (arguments.verb) {
    case sdk::ReportVerb::kHelp:
      std::cout << sdk::kReportUsage;
      return kArrived;
    case sdk::ReportVerb::kVersion:
      std::cout << HEARSAY_VERSION << '\n';
      return kArrived;
    case sdk::ReportVerb::kReport: {
      if (const char* token = std::getenv("HEARSAY_TOKEN")) arguments.server.upload_token = token;
      HEARSAY_TRY(const auto ledger, sdk::Ledger::open(arguments.ledger));
      return report(std::move(arguments), *ledger);
    }
    default:
      break;
  }
  HEARSAY_TRY(const auto ledger, sdk::Ledger::open_existing(arguments.ledger.file));
  if (arguments.verb == sdk::ReportVerb::kLog) {
    HEARSAY_TRY(const auto reports, ledger->outbox().log(std::size_t{1} << 30U));
    std::cout << sdk::printable(sdk::describe_reports(reports));
    return kArrived;
  }
  HEARSAY_CHECK_OK(arguments.verb == sdk::ReportVerb::kOptOut ? ledger->opt_out() : ledger->opt_in());
  return kArrived;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = sdk::parse_report_arguments({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  const auto status = arguments ? run(*arguments) : Result<int>(arguments.error());
  if (!status) {
    std::cerr << "hearsay-report: " << error_name(status.error().code) << ": " << sdk::printable(status.error().message)
              << '\n';
    return kNotMade;
  }
  if (std::cout << std::flush) return *status;
  std::cerr << "hearsay-report: the standard output cannot be written\n";
  return *status;
}
