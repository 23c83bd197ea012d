#include "sdk/upload/uploader.h"

#include <algorithm>

#include "common/base/strict_json.h"
#include "common/privacy/samplers.h"
#include "common/report/report.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;

bool is_success(unsigned status) { return status >= 200 && status < 300; }

bool worth_retrying(unsigned status) { return status == 408 || status == 429 || status >= 500; }

bool worth_retrying(const Error& error) {
  return error.code == ErrorCode::kConnectionFailed || error.code == ErrorCode::kTimedOut;
}

// Before attempt `attempt` + 1; the jitter keeps clients that failed together from coming back together.
milliseconds backoff(const RetryPolicy& policy, unsigned attempt, BitSource& bits) {
  milliseconds delay = policy.first;
  for (unsigned i = 1; i < attempt && delay < policy.largest; ++i) delay *= 2;
  delay = std::min(delay, policy.largest);
  const auto half = static_cast<std::uint64_t>(std::max<std::int64_t>(delay.count() / 2, 0));
  return delay - milliseconds(uniform_below(bits, half + 1));
}

}  // namespace

Error refusal(const TransportResponse& response) {
  std::string name = "no problem document";
  if (const auto json = parse_json(response.body); json && json->is_object()) {
    const auto type = json->find("type");
    if (type != json->end() && type->is_string()) {
      const auto text = type->get<std::string>();
      name = text.substr(text.rfind(':') + 1).substr(0, 64);
    }
  }
  return Error{ErrorCode::kServerRefused,
               "the aggregator answered " + std::to_string(response.status) + " (" + name + ")"};
}

Result<void> upload(Transport& transport, Clock& clock, BitSource& bits, const RetryPolicy& policy, const TaskId& task,
                    std::span<const std::uint8_t> reports) {
  const std::string path = "/v1/tasks/" + task.to_string() + "/reports";
  for (unsigned attempt = 1;; ++attempt) {
    const auto response = transport.post(path, kReportsMediaType, reports);
    if (response && is_success(response->status)) return {};
    const bool again = response ? worth_retrying(response->status) : worth_retrying(response.error());
    if (!again || attempt >= policy.max_attempts) return response ? refusal(*response) : response.error();

    milliseconds delay = backoff(policy, attempt, bits);
    // On top of it, so that the jitter also parts clients that were told the same time.
    if (response && response->retry_after) delay += std::min<milliseconds>(*response->retry_after, policy.largest);
    clock.sleep(delay);
  }
}

}  // namespace hearsay::sdk
