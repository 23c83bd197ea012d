#include "sdk/upload/uploader.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/privacy/samplers.h"
#include "common/report/report.h"

namespace hearsay::sdk {
namespace {

using std::chrono::milliseconds;

// Names of problems that say the very bytes, or their task, will not be taken at any time.
constexpr std::array<std::string_view, 11> kFinal{"report_malformed",    "report_wrong_size", "report_out_of_bounds",
                                                  "report_time_invalid", "report_conflict",   "report_expired",
                                                  "task_expired",        "task_closed",       "unrecognizedTask",
                                                  "body_too_large",      "limit_exceeded"};

bool is_success(unsigned status) { return status >= 200 && status < 300; }

bool worth_retrying(unsigned status) { return status == 408 || status == 429 || status >= 500; }

bool worth_retrying(const Error& error) {
  return error.code == ErrorCode::kConnectionFailed || error.code == ErrorCode::kTimedOut;
}

// What a problem document says.
struct Problem {
  std::string name;                // the last part of its type; empty if it is none
  std::optional<UnixSeconds> now;  // the server's time, where the client's clock may be the cause
};

Problem read_problem(const std::string& body) {
  Problem problem;
  const auto json = parse_json(body);
  if (!json || !json->is_object()) return problem;
  if (const auto type = json->find("type"); type != json->end() && type->is_string()) {
    problem.name = problem_name(type->get_ref<const std::string&>()).substr(0, 64);
  }
  if (const auto now = json->find("now"); now != json->end() && now->is_number_unsigned()) {
    problem.now = now->get<UnixSeconds>();
  }
  return problem;
}

// How far the first report's time is ahead of the server's, in seconds; nothing if that is not known.
std::optional<std::uint64_t> seconds_ahead(const Problem& problem, std::span<const std::uint8_t> reports) {
  const auto report = read_report(reports);
  if (!problem.now || !report) return std::nullopt;
  return report->time > *problem.now ? report->time - *problem.now : 0;
}

// What to do about an answer, or about none.
struct Verdict {
  bool again = false;  // in this call, if attempts are left
  Fate otherwise = Fate::kPending;
  milliseconds at_least{0};  // on top of the backoff
};

Verdict judge(const TransportResponse& response, const RetryPolicy& policy, std::span<const std::uint8_t> reports) {
  Verdict verdict;
  if (response.retry_after) verdict.at_least = std::min<milliseconds>(*response.retry_after, policy.largest);
  if (worth_retrying(response.status)) {
    verdict.again = true;
    return verdict;
  }
  const Problem problem = read_problem(response.body);
  if (std::find(kFinal.begin(), kFinal.end(), problem.name) != kFinal.end()) {
    verdict.otherwise = Fate::kDropped;
  } else if (problem.name == "report_too_early") {
    const auto ahead = seconds_ahead(problem, reports);
    if (!ahead) return verdict;
    if (*ahead > static_cast<std::uint64_t>(policy.max_ahead.count())) {
      verdict.otherwise = Fate::kDropped;
    } else if (std::chrono::seconds(*ahead) <= policy.largest) {
      verdict.again = true;
      verdict.at_least = std::chrono::seconds(*ahead);
    }
  }
  return verdict;
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
  const std::string name = read_problem(response.body).name;
  return Error{ErrorCode::kServerRefused, "the aggregator answered " + std::to_string(response.status) + " (" +
                                              (name.empty() ? "no problem document" : name) + ")"};
}

UploadOutcome upload(Transport& transport, Clock& clock, BitSource& bits, const RetryPolicy& policy, const TaskId& task,
                     std::span<const std::uint8_t> reports) {
  const std::string path = "/v1/tasks/" + task.to_string() + "/reports";
  for (unsigned attempt = 1;; ++attempt) {
    const auto response = transport.post(path, kReportsMediaType, reports);
    if (response && is_success(response->status)) return {};
    const Verdict verdict = response ? judge(*response, policy, reports) : Verdict{worth_retrying(response.error())};
    if (!verdict.again || attempt >= policy.max_attempts) {
      return {verdict.otherwise, response ? refusal(*response) : response.error()};
    }
    // The jitter on top also parts clients that were told the same time.
    clock.sleep(backoff(policy, attempt, bits) + verdict.at_least);
  }
}

}  // namespace hearsay::sdk
