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
  kSettle,     // counted, now or earlier
  kDrop,       // refused for good: these bytes will never be counted, and nothing takes their place
  kCloseTask,  // refused for good, as every report to this task would be
  kRetry,      // the same bytes again in this flush
  kKeep,       // the same bytes in a later flush; other reports may be sent meanwhile
  kStop,       // the same bytes in a later flush, and other reports would fare no better
  kSeparate,   // send each report in a request of its own, so that the answers tell which of them is at fault
  kHalve,      // send at most half as many reports in each further request of this flush
};

struct Verdict {
  Action action = Action::kSettle;
  std::optional<Error> error{};                       // unless kSettle
  std::chrono::milliseconds at_least{0};              // kRetry: on top of the backoff
  std::optional<std::chrono::seconds> retry_after{};  // what the server named, at most policy.max_retry_after
};

// Judges the answer to a POST of `reports`, one or more encoded reports. sdk/upload/README.md says what each status and
// each name of a problem means.
Verdict judge(const Result<TransportResponse>& answer, const RetryPolicy& policy, std::span<const std::uint8_t> reports,
              bool several);

// Returns the error kServerRefused with the status. If the body is a problem document of Hearsay, the error also has
// its name.
Error refusal(const TransportResponse& response);

}  // namespace hearsay::sdk
