// Uploads with retries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/random/bit_source.h"
#include "hearsay/clock.h"
#include "hearsay/options.h"
#include "hearsay/result.h"
#include "hearsay/transport.h"

namespace hearsay::sdk {

enum class Fate : std::uint8_t {
  kDelivered,  // counted, now or earlier
  kPending,    // not counted as far as is known; the same bytes may be sent later
  kDropped,    // refused for good: these bytes will never be counted, and nothing takes their place
};

struct UploadOutcome {
  Fate fate = Fate::kDelivered;
  std::optional<Error> error{};  // unless delivered

  explicit operator bool() const { return fate == Fate::kDelivered; }
};

// Posts the bytes (one or more encoded reports) to the task until a 2xx arrives, the attempts are used up, or the
// server refuses them in a way that waiting does not mend; what that is, sdk/upload/README.md says for each error's
// name. The bytes are the same each time, so the aggregator counts them once however often they arrive. `bits` gives
// the jitter. Error: the last one of the transport, or kServerRefused, which names the problem's type.
UploadOutcome upload(Transport& transport, Clock& clock, BitSource& bits, const RetryPolicy& policy, const TaskId& task,
                     std::span<const std::uint8_t> reports);

// kServerRefused with the status and, if the body is a problem document, the last part of its type.
Error refusal(const TransportResponse& response);

}  // namespace hearsay::sdk
