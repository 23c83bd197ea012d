#include "sdk/upload/verdict.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/base/problem_type.h"
#include "common/base/strict_json.h"
#include "common/report/report.h"

namespace hearsay::sdk {
namespace {

// A refusal after which the client gives a report up: a status and a problem's name. Both must match, since a name with
// another status means something else. For example, 431 `limit_exceeded` is about the headers.
struct Final {
  unsigned status;
  std::string_view name;
  Action action;
};

constexpr std::array<Final, 11> kFinal{{{400, "report_malformed", Action::kDrop},
                                        {400, "report_wrong_size", Action::kDrop},
                                        {400, "report_out_of_bounds", Action::kDrop},
                                        {400, "report_time_invalid", Action::kDrop},
                                        {400, "limit_exceeded", Action::kDrop},
                                        {409, "report_conflict", Action::kDrop},
                                        {410, "report_expired", Action::kDrop},
                                        {413, "body_too_large", Action::kDrop},
                                        {410, "task_expired", Action::kCloseTask},
                                        {410, "task_closed", Action::kCloseTask},
                                        {404, "unrecognizedTask", Action::kCloseTask}}};

// Only answers with these statuses may be about the reports. Answers with other statuses are about the sender or the
// connection.
constexpr std::array<unsigned, 6> kAboutReports{400, 404, 409, 410, 413, 422};

bool is_success(unsigned status) { return status >= 200 && status < 300; }

bool worth_retrying(unsigned status) { return status == 408 || status == 429 || status >= 500; }

bool worth_retrying(const Error& error) {
  return error.code == ErrorCode::kConnectionFailed || error.code == ErrorCode::kTimedOut;
}

// The parts of a problem document (RFC 9457) that matter here.
struct Problem {
  std::string name;                // empty if the body is no problem document of Hearsay
  std::optional<UnixSeconds> now;  // the server's time, if the answer has it
};

Problem read_problem(const std::string& body) {
  Problem problem;
  const auto json = parse_json(body);
  if (!json || !json->is_object()) return problem;
  if (const auto type = json->find("type"); type != json->end() && type->is_string()) {
    problem.name = problem_name(type->get_ref<const std::string&>());
  }
  if (const auto now = json->find("now"); now != json->end() && now->is_number_unsigned()) {
    problem.now = now->get<UnixSeconds>();
  }
  return problem;
}

// Returns true if the answer to several reports says that some of them were rejected.
bool rejects_some(const std::string& body) {
  const auto json = parse_json(body);
  if (!json || !json->is_object()) return false;
  const auto rejected = json->find("rejected");
  return rejected != json->end() && rejected->is_number_unsigned() && rejected->get<std::uint64_t>() != 0;
}

// Returns by how many seconds the first report's time is ahead of the server's time; 0 if it is not ahead. Returns
// nothing if one of the two times is unknown.
std::optional<std::uint64_t> seconds_ahead(const Problem& problem, std::span<const std::uint8_t> reports) {
  const auto report = read_report(reports);
  if (!problem.now || !report) return std::nullopt;
  return report->time > *problem.now ? report->time - *problem.now : 0;
}

// Judges the refusal of a report with a time that is ahead of the server's time.
void judge_early(const Problem& problem, const RetryPolicy& policy, std::span<const std::uint8_t> report,
                 Verdict& verdict) {
  verdict.action = Action::kKeep;
  const auto ahead = seconds_ahead(problem, report);
  if (!ahead) return;
  if (*ahead > static_cast<std::uint64_t>(policy.max_ahead.count())) {
    verdict.action = Action::kDrop;
  } else if (std::chrono::seconds(*ahead) <= policy.largest) {
    verdict.action = Action::kRetry;
    verdict.at_least = std::chrono::seconds(*ahead);
  }
}

}  // namespace

Error refusal(const TransportResponse& response) {
  const std::string name = read_problem(response.body).name;
  return Error{ErrorCode::kServerRefused, "the aggregator answered " + std::to_string(response.status) + " (" +
                                              (name.empty() ? "without a problem document of Hearsay" : name) + ")"};
}

Verdict judge(const Result<TransportResponse>& answer, const RetryPolicy& policy, std::span<const std::uint8_t> reports,
              bool several) {
  if (!answer) return {worth_retrying(answer.error()) ? Action::kRetry : Action::kStop, answer.error()};
  if (is_success(answer->status)) {
    if (several && rejects_some(answer->body)) return {Action::kSeparate, refusal(*answer)};
    return {};
  }
  Verdict verdict{Action::kStop, refusal(*answer)};
  if (worth_retrying(answer->status)) {
    verdict.action = Action::kRetry;
    if (answer->retry_after) {
      verdict.retry_after = std::min(*answer->retry_after, policy.max_retry_after);
      verdict.at_least = *verdict.retry_after;
    }
    return verdict;
  }
  const Problem problem = read_problem(answer->body);
  if (answer->status == 413 && (several || problem.name.empty())) {  // a proxy may send such an answer
    verdict.action = several ? Action::kHalve : Action::kKeep;
    return verdict;
  }
  const bool about_reports =
      std::find(kAboutReports.begin(), kAboutReports.end(), answer->status) != kAboutReports.end();
  if (problem.name.empty() || !about_reports) return verdict;
  const auto refused = std::find_if(kFinal.begin(), kFinal.end(), [&](const Final& one) {
    return one.status == answer->status && one.name == problem.name;
  });
  if (several) {
    verdict.action = Action::kSeparate;
  } else if (refused != kFinal.end()) {
    verdict.action = refused->action;
  } else if (answer->status == 400 && problem.name == "report_too_early") {
    judge_early(problem, policy, reports, verdict);
  } else {
    verdict.action = Action::kKeep;
  }
  return verdict;
}

}  // namespace hearsay::sdk
