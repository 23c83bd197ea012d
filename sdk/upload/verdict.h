// Decides from the aggregator's answer, or from a failed exchange, what to do with the reports that were sent.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "hearsay/options.h"
#include "hearsay/result.h"
#include "hearsay/transport.h"

namespace hearsay::sdk {

enum class Action : std::uint8_t {
  kSettle,     // the aggregator has counted the reports, now or earlier
  kDrop,       // the report is refused for good: drop the report
  kCloseTask,  // every report to this task is refused for good: drop all reports to the task
  kRetry,      // send the same bytes again in this flush
  kKeep,       // send the same bytes in a later flush; go on with other reports
  kStop,       // send the same bytes in a later flush, and end this flush
  kSeparate,   // send each report in a request of its own, so that the answers tell which report is at fault
  kHalve,      // send at most half the number of reports in each further request of this flush
};

struct Verdict {
  Action action = Action::kSettle;
  std::optional<Error> error{};                       // the error that the flush's summary shows; kSettle has none
  std::chrono::milliseconds at_least{0};              // for kRetry: time to wait in addition to the backoff
  std::optional<std::chrono::seconds> retry_after{};  // from the header, at most policy.max_retry_after
};

// Judges the answer to a POST of `reports`, one or more encoded reports. sdk/upload/README.md says what each status and
// each name of a problem means.
Verdict judge(const Result<TransportResponse>& answer, const RetryPolicy& policy, std::span<const std::uint8_t> reports,
              bool several);

// Returns the error kServerRefused with the status. If the body is a problem document of Hearsay, the error also has
// the problem's name.
Error refusal(const TransportResponse& response);

}  // namespace hearsay::sdk
