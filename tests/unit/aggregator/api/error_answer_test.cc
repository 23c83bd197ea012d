#include "aggregator/api/error_answer.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "common/base/strict_json.h"

namespace hearsay::api {
namespace {

constexpr auto kLast = ErrorCode::kBatchTooSmall;

TEST_CASE("every error has a name of its own and an error status") {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(kLast); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    CAPTURE(error_name(code));
    CHECK(names.insert(std::string(error_name(code))).second);
    CHECK(http_status(code) >= 400);
    CHECK(http_status(code) <= 503);
  }
}

TEST_CASE("the status tells a client whether to give up, wait or correct its request") {
  const std::map<ErrorCode, unsigned> expected = {
      {ErrorCode::kMalformedJson, 400},    {ErrorCode::kReportMalformed, 400},
      {ErrorCode::kUnauthorized, 401},     {ErrorCode::kForbidden, 403},
      {ErrorCode::kNotFound, 404},         {ErrorCode::kUnrecognizedTask, 404},
      {ErrorCode::kMethodNotAllowed, 405}, {ErrorCode::kTimedOut, 408},
      {ErrorCode::kReportConflict, 409},   {ErrorCode::kBatchTooSmall, 409},
      {ErrorCode::kTaskExpired, 410},      {ErrorCode::kBodyTooLarge, 413},
      {ErrorCode::kInvalidTask, 422},      {ErrorCode::kUnsupportedMediaType, 415},
      {ErrorCode::kInternal, 500},         {ErrorCode::kStoreFailed, 503},
      {ErrorCode::kOverloaded, 503},       {ErrorCode::kClockUncertain, 503},
  };
  for (const auto& row : expected) {
    CAPTURE(error_name(row.first));
    CHECK(http_status(row.first) == row.second);
  }
}

TEST_CASE("an answer and its document have the error's status, and a 401 names the authentication scheme") {
  const http::HttpResponse closed = error_answer({ErrorCode::kTaskClosed, "yesterday"});
  CHECK(closed.status == 410);
  CHECK(closed.headers.empty());
  const Json document = Json::parse(closed.body);
  CHECK(document.at("status") == 410);
  CHECK(document.at("type") == "urn:hearsay:error:task_closed");
  using Fields = std::vector<std::pair<std::string, std::string>>;
  CHECK(error_answer({ErrorCode::kUnauthorized, ""}).headers == Fields{{"WWW-Authenticate", "Bearer"}});
}

}  // namespace
}  // namespace hearsay::api
