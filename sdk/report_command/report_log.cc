#include "sdk/report_command/report_log.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "common/base/encoding.h"

namespace hearsay::sdk {
namespace {

std::string utc(UnixSeconds time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
    return "second " + std::to_string(time);
  }
  return text.data();
}

// Returns e^ε as text, rounded up if it is below 1,000. With other answers, the probability of the same report differs
// by at most the factor e^ε.
std::string factor(const Epsilon& epsilon) {
  std::array<char, 32> text{};
  const double value = std::exp(epsilon.approximate());
  const int written = std::snprintf(text.data(), text.size(), value < 1000 ? "%.2f" : "%.3g",
                                    value < 1000 ? std::ceil(value * 100) / 100 : value);
  return written > 0 ? text.data() : "";
}

std::string fate(const LoggedReport& report) {
  const std::string when = report.settled ? " " + utc(*report.settled) : "";
  switch (report.state) {
    case ReportState::kPending:
      return "waits to be sent, or was sent and not answered yet";
    case ReportState::kDelivered:
      return "the aggregator has had it since" + when;
    case ReportState::kDropped:
      return "given up" + when + ", and may have been sent before: " + report.reason;
  }
  return "";
}

std::string describe(const LoggedReport& report) {
  const std::string title = report.title.empty() ? "a task without a title" : "\"" + report.title + "\"";
  return "Report " + std::to_string(report.number) + " of " + utc(report.made) + "\n  for      " + title +
         "\n           " + report.task.to_string() + "\n  reveals  epsilon " + report.epsilon.to_string() +
         ": whatever you answered, other answers would have made this very report\n           at most " +
         factor(report.epsilon) + " times less or more likely\n  state    " + fate(report) + "\n  sent     " +
         std::to_string(report.bytes.size()) + " bytes, in hexadecimal:\n           " + hex_encode(report.bytes) + "\n";
}

}  // namespace

std::string describe_reports(const std::vector<LoggedReport>& reports) {
  if (reports.empty())
    return "Nothing waits to be sent. Nothing has left this device since the ledger was made or since the last "
           "opt-out.\n";
  std::string text;
  for (const LoggedReport& report : reports) text += (text.empty() ? "" : "\n") + describe(report);
  return text;
}

}  // namespace hearsay::sdk
