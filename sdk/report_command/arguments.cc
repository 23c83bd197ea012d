#include "sdk/report_command/arguments.h"

#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "common/base/try.h"

namespace hearsay::sdk {

const std::string_view kReportUsage =
    R"(usage: hearsay-report --host HOST --ledger FILE [OPTION]... TASK RECORD
       hearsay-report --ledger FILE --log | --opt-out | --opt-in
       hearsay-report --help | --version

Randomizes one record on this device and sends the report to an aggregator.

  TASK               the task's id, or a file with the task's document
  RECORD             the record as JSON, {"smoker": true, "age": 33}, or - to read
                     the JSON from the standard input, where other users of the
                     machine do not see it

  --companion FILE   read RECORD as raw texts, {"Smoker?": "Yes", "Age": "33"}, by this
                     companion document of the task's schema
  --host HOST        the aggregator
  --port PORT        its port; default: 443
  --ca FILE          PEM file of trusted authorities; default: the system's
  --certificate FILE, --key FILE
                     PEM files of a client's certificate and key, if the aggregator
                     asks for a certificate
  --max-epsilon E    refuse tasks whose epsilon is above E; default: 1
  --timeout SECONDS  how long the command may use the network; default: 30

  --ledger FILE      remembers what was reported, so that nobody reports too often;
                     the first report makes the file
The ledger's policy. Give the same options with each report; the ledger refuses a
looser policy:
  --period TIME      report once in each period, such as 12h, 7d or 3600 (seconds);
                     default: report once and never again
  --budget E         the largest sum of epsilon in one period, over all tasks

  --log              show what left this device
  --opt-out          drop the reports that wait and the log, and refuse to report
                     until --opt-in
  --opt-in           allow reports again

If the aggregator asks for a token with each report, put the token into the
environment variable HEARSAY_TOKEN.

exit status:
  0  the report has arrived; or it was made earlier in this period, and nothing waits
  1  the report is made and waits in the ledger: run the command again
  2  no report was made; reports that waited were sent if the aggregator was reached
  3  the aggregator will never take the report
)";

namespace {

Error wrong(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<std::uint64_t> number_of(std::string_view option, std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value == 0 || value > most) {
    return wrong(std::string(option) + " takes a number from 1 to " + std::to_string(most));
  }
  return value;
}

// Reads a period such as "7d", "12h", "30m", "10s" or "10" (seconds).
Result<std::chrono::seconds> period_of(std::string_view option, std::string_view text) {
  constexpr std::uint64_t kMost = 100ULL * 366 * 86'400;
  std::uint64_t unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'd':
        unit = 86'400;
        break;
      case 'h':
        unit = 3'600;
        break;
      case 'm':
        unit = 60;
        break;
      case 's':
        break;
      default:
        unit = 0;
    }
    if (unit != 0) text.remove_suffix(1);
  }
  unit = unit == 0 ? 1 : unit;
  HEARSAY_TRY(const std::uint64_t count, number_of(option, text, kMost / unit));
  return std::chrono::seconds(count * unit);
}

Result<Epsilon> epsilon_of(std::string_view option, std::string_view text) {
  const auto epsilon = Epsilon::parse(text);
  if (!epsilon) return wrong(std::string(option) + ": " + epsilon.error().message);
  return epsilon;
}

Result<void> take(std::string_view option, const std::string& value, ReportArguments& into) {
  if (option == "--host") {
    into.server.host = value;
  } else if (option == "--port") {
    HEARSAY_TRY(const std::uint64_t port, number_of(option, value, std::numeric_limits<std::uint16_t>::max()));
    into.server.port = static_cast<std::uint16_t>(port);
  } else if (option == "--ca") {
    into.server.ca_file = value;
  } else if (option == "--certificate") {
    into.server.client_certificate = value;
  } else if (option == "--key") {
    into.server.client_key = value;
  } else if (option == "--max-epsilon") {
    HEARSAY_TRY(into.max_epsilon, epsilon_of(option, value));
  } else if (option == "--companion") {
    into.companion = value;
  } else if (option == "--timeout") {
    HEARSAY_TRY(const std::uint64_t seconds, number_of(option, value, 86'400));
    into.timeout = std::chrono::seconds(seconds);
  } else if (option == "--ledger") {
    into.ledger.file = value;
  } else if (option == "--period") {
    HEARSAY_TRY(into.ledger.policy.period, period_of(option, value));
  } else if (option == "--budget") {
    HEARSAY_TRY(into.ledger.policy.budget, epsilon_of(option, value));
  } else {
    return wrong("there is no option " + std::string(option) + "; see hearsay-report --help");
  }
  return {};
}

std::optional<ReportVerb> verb_of(std::string_view option) {
  constexpr std::array<std::pair<std::string_view, ReportVerb>, 5> kVerbs{{{"--log", ReportVerb::kLog},
                                                                           {"--opt-out", ReportVerb::kOptOut},
                                                                           {"--opt-in", ReportVerb::kOptIn},
                                                                           {"--help", ReportVerb::kHelp},
                                                                           {"--version", ReportVerb::kVersion}}};
  for (const auto& [name, verb] : kVerbs) {
    if (name == option) return verb;
  }
  return std::nullopt;
}

Result<void> check_complete(const ReportArguments& read, std::size_t words) {
  if (read.verb == ReportVerb::kHelp || read.verb == ReportVerb::kVersion) return {};
  if (read.ledger.file.empty()) return wrong("--ledger FILE is missing; see hearsay-report --help");
  if (read.verb != ReportVerb::kReport) {
    if (read.ledger.policy.period || read.ledger.policy.budget) {
      return wrong("--log, --opt-out and --opt-in take no --period and no --budget: the ledger has its policy");
    }
    return words == 0 ? Result<void>() : wrong("--log, --opt-out and --opt-in take no task and no record");
  }
  if (words != 2) return wrong("a task and a record are needed; see hearsay-report --help");
  if (read.server.host.empty()) return wrong("--host HOST is missing; see hearsay-report --help");
  return {};
}

}  // namespace

Result<ReportArguments> parse_report_arguments(std::span<char* const> arguments) {
  ReportArguments read;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (const auto verb = verb_of(argument)) {
      if (read.verb != ReportVerb::kReport) return wrong("ask for one thing at a time: " + argument + " is the second");
      read.verb = *verb;
    } else if (argument.starts_with("--")) {
      if (i + 1 == arguments.size()) return wrong(argument + " needs a value; see hearsay-report --help");
      HEARSAY_CHECK_OK(take(argument, arguments[++i], read));
    } else {
      words.push_back(argument);
    }
  }
  HEARSAY_CHECK_OK(check_complete(read, words.size()));
  if (words.size() == 2) {
    read.task = words[0];
    read.record = words[1];
  }
  return read;
}

}  // namespace hearsay::sdk
