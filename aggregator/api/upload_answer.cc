#include "aggregator/api/upload_answer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "aggregator/api/answers.h"
#include "aggregator/api/error_answer.h"
#include "aggregator/http/problem.h"
#include "common/base/json_text.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"

namespace hearsay::api {
namespace {

using Kind = ingest::ReportStatus::Kind;

// Returns true for reasons that depend on the time. The answer then has the server's time, so that a client can notice
// that its own clock is wrong.
bool is_about_time(ErrorCode reason) {
  return reason == ErrorCode::kReportTooEarly || reason == ErrorCode::kReportExpired ||
         reason == ErrorCode::kTaskExpired;
}

Json rejection_json(const ingest::UploadResult& result, ErrorCode reason) {
  Json json = error_json({reason, ingest::rejection_detail(reason, result.task, result.now)});
  if (is_about_time(reason)) json["now"] = result.now;
  return json;
}

// `letters` has one letter for each report, in the body's order: 'a' for accepted, 'r' for replayed, a capital letter
// for rejected. A number before a letter says how many reports in a row the letter stands for. Reasons get capital
// letters in the order of appearance: 'A' is reasons[0].
struct Outcomes {
  std::string letters;
  std::vector<ErrorCode> reasons;
};

char letter_of(const ingest::ReportStatus& status, std::vector<ErrorCode>& reasons) {
  if (status.kind == Kind::kAccepted) return 'a';
  if (status.kind == Kind::kReplayed) return 'r';
  const auto known = std::find(reasons.begin(), reasons.end(), status.reason);
  const auto index = known - reasons.begin();
  if (known == reasons.end()) reasons.push_back(status.reason);
  return static_cast<char>('A' + index);
}

Outcomes outcomes_of(const ingest::UploadResult& result) {
  Outcomes outcomes;
  for (std::size_t begin = 0; begin < result.statuses.size();) {
    std::size_t end = begin + 1;
    while (end < result.statuses.size() && result.statuses[end] == result.statuses[begin]) ++end;
    if (end - begin > 1) outcomes.letters += std::to_string(end - begin);
    outcomes.letters += letter_of(result.statuses[begin], outcomes.reasons);
    begin = end;
  }
  return outcomes;
}

Json result_json(const ingest::UploadResult& result) {
  const Outcomes outcomes = outcomes_of(result);
  Json reasons = Json::object();
  for (std::size_t i = 0; i < outcomes.reasons.size(); ++i) {
    reasons[std::string(1, static_cast<char>('A' + i))] = rejection_json(result, outcomes.reasons[i]);
  }
  return {{"accepted", result.accepted},
          {"replayed", result.replayed},
          {"rejected", result.rejected},
          {"outcomes", outcomes.letters},
          {"reasons", std::move(reasons)}};
}

// Returns the answer to a body without a counted report: the problem of the first report. If there are several reports,
// adds the outcome of each.
http::HttpResponse nothing_counted(const ingest::UploadResult& result) {
  const ErrorCode reason = result.statuses.front().reason;
  const bool several = result.statuses.size() > 1;
  http::HttpResponse response = http::make_problem({reason, ""}, several ? 422 : http_status(reason));
  Json problem = Json::parse(response.body);
  problem.update(rejection_json(result, reason));
  if (several) {
    problem["title"] = "No report of the body is counted";
    problem.update(result_json(result));
  }
  response.body = json_text(problem);
  return response;
}

}  // namespace

http::HttpResponse upload_answer(const Result<ingest::UploadResult>& result, bool minimal) {
  if (!result) return error_answer(result.error());
  if (minimal && result->rejected == 0) return {204, "", "", {}};
  if (result->rejected == result->statuses.size()) return nothing_counted(*result);
  return json_response(200, result_json(*result));
}

}  // namespace hearsay::api
