#include "aggregator/api/upload_answer.h"

#include "aggregator/api/answers.h"
#include "aggregator/api/error_answer.h"
#include "aggregator/http/problem.h"
#include "common/base/problem_type.h"
#include "common/base/strict_json.h"

namespace hearsay::api {
namespace {

using Kind = ingest::ReportStatus::Kind;

// A client whose clock is wrong can see so from the server's.
bool is_about_time(ErrorCode reason) {
  return reason == ErrorCode::kReportTooEarly || reason == ErrorCode::kReportExpired ||
         reason == ErrorCode::kTaskExpired;
}

Json rejection_json(const ingest::UploadResult& result, std::size_t report) {
  const ErrorCode reason = result.statuses[report].reason;
  Json json = error_json({reason, ingest::rejection_detail(reason, result.task, result.now)});
  if (is_about_time(reason)) json["now"] = result.now;
  return json;
}

Json outcome_json(const ingest::UploadResult& result, std::size_t report) {
  Json json{{"id", result.reports[report].id.to_string()}};
  switch (result.statuses[report].kind) {
    case Kind::kAccepted:
      json["status"] = "accepted";
      break;
    case Kind::kReplayed:
      json["status"] = "replayed";
      break;
    case Kind::kRejected:
      json["status"] = "rejected";
      json.update(rejection_json(result, report));
      break;
  }
  return json;
}

// Of every report, in the body's order; or only of the rejected ones, with their places.
Json outcomes_json(const ingest::UploadResult& result, bool all) {
  Json listed = Json::array();
  for (std::size_t i = 0; i < result.reports.size() && listed.size() < kMaxListedOutcomes; ++i) {
    if (!all && result.statuses[i].kind != Kind::kRejected) continue;
    listed.push_back(outcome_json(result, i));
    if (!all) listed.back()["index"] = i;
  }
  return listed;
}

// No report is counted: the problem of the first one. `listed` is null for a body of one report.
http::HttpResponse nothing_counted(const ingest::UploadResult& result, Json listed) {
  const ErrorCode reason = result.statuses.front().reason;
  http::HttpResponse response = http::make_problem({reason, ""}, listed.is_null() ? http_status(reason) : 422);
  Json problem = Json::parse(response.body);
  problem.update(rejection_json(result, 0));
  if (!listed.is_null()) {
    problem["title"] = "No report of the body is counted";
    problem["rejected"] = result.rejected;
    problem["outcomes"] = std::move(listed);
  }
  response.body = problem.dump();
  return response;
}

}  // namespace

http::HttpResponse upload_answer(const Result<ingest::UploadResult>& result, bool minimal) {
  if (!result) return error_answer(result.error());
  if (minimal && result->rejected == 0) return {204, "", "", {}};
  const std::size_t reports = result->reports.size();
  const bool none_counted = result->rejected == reports;
  if (none_counted && reports == 1) return nothing_counted(*result, nullptr);
  const bool all = !minimal && reports <= kMaxListedOutcomes;
  Json listed = outcomes_json(*result, all);
  if (none_counted) return nothing_counted(*result, std::move(listed));
  return json_response(200, {{"accepted", result->accepted},
                             {"replayed", result->replayed},
                             {"rejected", result->rejected},
                             {"outcomes", std::move(listed)}});
}

}  // namespace hearsay::api
