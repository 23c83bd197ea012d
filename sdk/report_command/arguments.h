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
  kReport,  // makes a report and sends the waiting reports
  kLog,     // shows the reports that left the device
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
  std::string task;       // an id, or the name of a file with the task's document
  std::string companion;  // file of the companion document that reads raw texts; empty: none
  std::string record;     // JSON, or "-" for the standard input
};

// Reads the arguments that follow the command's name. Errors: kInvalidArgument; the message says what to change.
Result<ReportArguments> parse_report_arguments(std::span<char* const> arguments);

}  // namespace hearsay::sdk
