// Uploads with retries.
#pragma once

#include <cstdint>
#include <span>

#include "common/base/clock.h"
#include "common/random/bit_source.h"
#include "hearsay/options.h"
#include "hearsay/result.h"
#include "hearsay/transport.h"

namespace hearsay::sdk {

// Posts the bytes (one or more encoded reports) to the task until a 2xx arrives, the attempts are used up, or the
// server refuses for good. The bytes are the same each time, so the aggregator counts them once however often they
// arrive. Tried again: lost connections, timeouts, 408, 429 and 5xx. `bits` gives the jitter. Errors: the last one of
// the transport, or kServerRefused, which names the problem's type.
Result<void> upload(Transport& transport, Clock& clock, BitSource& bits, const RetryPolicy& policy, const TaskId& task,
                    std::span<const std::uint8_t> reports);

// kServerRefused with the status and, if the body is a problem document, the last part of its type.
Error refusal(const TransportResponse& response);

}  // namespace hearsay::sdk
