#include "aggregator/http/problem.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "common/base/strict_json.h"

namespace hearsay::aggregator {
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

TEST_CASE("a client tells from the status whether to give up, wait or fix its request") {
  const std::map<ErrorCode, unsigned> expected = {
      {ErrorCode::kMalformedJson, 400},    {ErrorCode::kReportMalformed, 400},
      {ErrorCode::kUnauthorized, 401},     {ErrorCode::kForbidden, 403},
      {ErrorCode::kNotFound, 404},         {ErrorCode::kUnrecognizedTask, 404},
      {ErrorCode::kMethodNotAllowed, 405}, {ErrorCode::kTimedOut, 408},
      {ErrorCode::kReportConflict, 409},   {ErrorCode::kBatchTooSmall, 409},
      {ErrorCode::kTaskExpired, 410},      {ErrorCode::kBodyTooLarge, 413},
      {ErrorCode::kInvalidTask, 422},      {ErrorCode::kUnsupportedMediaType, 415},
      {ErrorCode::kInternal, 500},         {ErrorCode::kStoreFailed, 503},
      {ErrorCode::kOverloaded, 503},
  };
  for (const auto& row : expected) {
    CAPTURE(error_name(row.first));
    CHECK(http_status(row.first) == row.second);
  }
}

TEST_CASE("a problem document has the four members of RFC 9457") {
  const HttpResponse response = make_problem({ErrorCode::kQueryNotVisible, "margin \"zero\""});
  CHECK(response.status == 422);
  CHECK(response.content_type == "application/problem+json");
  CHECK(response.headers.empty());
  CHECK(
      response.body ==
      R"({"detail":"margin \"zero\"","status":422,"title":"Query not visible","type":"urn:hearsay:error:query_not_visible"})");
}

TEST_CASE("names in the other spelling get a readable title too") {
  const Json document = Json::parse(make_problem({ErrorCode::kUnrecognizedTask, "x"}).body);
  CHECK(document.at("title") == "Unrecognized task");
  CHECK(document.at("type") == "urn:hearsay:error:unrecognizedTask");
}

TEST_CASE("the status can be overridden, in the document too") {
  const HttpResponse response = make_problem({ErrorCode::kLimitExceeded, "long"}, 431);
  CHECK(response.status == 431);
  CHECK(Json::parse(response.body).at("status") == 431);
}

TEST_CASE("two errors carry a field that tells the client what to do") {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  CHECK(make_problem({ErrorCode::kOverloaded, ""}).headers == Fields{{"Retry-After", "1"}});
  CHECK(make_problem({ErrorCode::kUnauthorized, ""}).headers == Fields{{"WWW-Authenticate", "Bearer"}});
}

TEST_CASE("a message that is no UTF-8 still makes a document") {
  const Json document = Json::parse(make_problem({ErrorCode::kNotFound, "no \xff\xfe here"}).body);
  CHECK(document.at("detail").get<std::string>().starts_with("no "));
}

}  // namespace
}  // namespace hearsay::aggregator
