// The command line of `hearsay-report`.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hearsay/ledger.h"
#include "hearsay/options.h"
#include "hearsay/result.h"

namespace hearsay::sdk {

extern const std::string_view kReportUsage;  // what --help prints

// What the command is asked to do.
enum class ReportVerb : std::uint8_t {
  kReport,  // make a report, and send the waiting reports
  kLog,     // show the waiting, delivered and dropped reports
  kOptOut,
  kOptIn,
  kHelp,
  kVersion,
};

struct ReportArguments {
  ReportVerb verb = ReportVerb::kReport;
  ServerOptions server;
  LedgerOptions ledger;
  Epsilon max_epsilon = Epsilon::parse("1").value();
  std::chrono::milliseconds timeout{30'000};
  std::string task;       // a task's id, or the name of a file with the task's document
  std::string companion;  // file of the companion document, if the record is raw text; empty: none
  std::string record;     // JSON, or "-" for the standard input
};

// Reads the arguments that stand behind the command's name. Errors: kInvalidArgument; the message says what to change.
Result<ReportArguments> parse_report_arguments(std::span<char* const> arguments);

}  // namespace hearsay::sdk
