// `hearsay-report`: one report from a shell script.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "common/base/try.h"
#include "hearsay/client.h"
#include "sdk/report_command/arguments.h"
#include "sdk/report_command/report_log.h"

namespace {

using namespace hearsay;

constexpr int kArrived = 0;
constexpr int kWaits = 1;
constexpr int kNotMade = 2;
constexpr int kRefused = 3;

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

// A task's id is no file's name that anybody chooses, so whatever can be opened is a document.
Result<sdk::Client> make_client(const sdk::ReportArguments& arguments, const sdk::ClientDependencies& dependencies) {
  sdk::ClientOptions options{{}, arguments.max_epsilon, {}, "", {}};
  if (std::ifstream file(arguments.task); file) {
    HEARSAY_TRY(const Task task, Task::parse(read_all(file)));
    options.task = task.id();
    return sdk::Client::create(options, task, dependencies);
  }
  const auto id = TaskId::parse(arguments.task);
  if (!id) {
    return Error{ErrorCode::kInvalidArgument,
                 "'" + arguments.task + "' is neither a file that can be read nor a task's id"};
  }
  options.task = *id;
  return sdk::Client::create(options, dependencies);
}

Result<int> report(const sdk::ReportArguments& arguments, sdk::Ledger& ledger) {
  const auto clock = make_system_clock();
  const auto end = clock->steady() + arguments.timeout;
  HEARSAY_TRY(const auto transport, sdk::make_https_transport(arguments.server));
  HEARSAY_TRY(sdk::Client client, make_client(arguments, {*transport, ledger, *clock}));
  HEARSAY_TRY(const Record record,
              Record::parse(client.task().schema(), arguments.record == "-" ? read_all(std::cin) : arguments.record));
  HEARSAY_TRY(const sdk::FlushSummary summary, client.report(record, end - clock->steady()));
  const std::string reason = summary.problem ? ": " + summary.problem->message : "";
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

Result<int> run(sdk::ReportArguments arguments) {
  if (arguments.verb == sdk::ReportVerb::kHelp) {
    std::cout << sdk::kReportUsage;
    return kArrived;
  }
  if (const char* token = std::getenv("HEARSAY_TOKEN")) arguments.server.upload_token = token;
  HEARSAY_TRY(const auto ledger, sdk::Ledger::open(arguments.ledger));
  switch (arguments.verb) {
    case sdk::ReportVerb::kOptOut:
      HEARSAY_CHECK_OK(ledger->opt_out());
      return kArrived;
    case sdk::ReportVerb::kOptIn:
      HEARSAY_CHECK_OK(ledger->opt_in());
      return kArrived;
    case sdk::ReportVerb::kLog: {
      HEARSAY_TRY(const auto reports, ledger->outbox().log(std::size_t{1} << 30U));
      std::cout << sdk::describe_reports(reports);
      return kArrived;
    }
    default:
      return report(arguments, *ledger);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = sdk::parse_report_arguments({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  const auto status = arguments ? run(*arguments) : Result<int>(arguments.error());
  if (!status) {
    std::cerr << "hearsay-report: " << error_name(status.error().code) << ": " << status.error().message << '\n';
    return kNotMade;
  }
  if (std::cout << std::flush) return *status;
  std::cerr << "hearsay-report: the standard output cannot be written\n";
  return *status;
}
