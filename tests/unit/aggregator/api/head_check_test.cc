#include "aggregator/api/head_check.h"

#include <doctest/doctest.h>

#include "aggregator/api/parameters.h"

namespace hearsay::api {
namespace {

const std::vector<Call> kCalls{Call::kGetTask,     Call::kListTasks, Call::kCreateTask, Call::kCloseTask,
                               Call::kDeleteTask,  Call::kEstimate,  Call::kGetTally,   Call::kGetStatus,
                               Call::kPostReports, Call::kMakeBackup};

http::HttpRequest with_query(std::string_view query) {
  http::HttpRequest request;
  request.query = query;
  return request;
}

http::HttpRequest with_body(std::string_view content_type, std::optional<std::uint64_t> size, std::string_view body) {
  http::HttpRequest request;
  request.content_type = content_type;
  request.body_size = size;
  request.body = body;
  return request;
}

TEST_CASE("the error about an unknown query parameter names the parameter") {
  for (const Call call : kCalls) {
    CAPTURE(static_cast<int>(call));
    CHECK(check_head(call, with_query("")));
    for (const char* query : {"fromat=csv", "a", "=", "&", "FORMAT=csv", "format%3Dcsv", "format=csv&x=1"}) {
      CAPTURE(query);
      const auto refused = check_head(call, with_query(query));
      REQUIRE(!refused);
      CHECK(refused.error().code == ErrorCode::kUnknownKey);
    }
    CHECK(bool(check_head(call, with_query("format=csv"))) == (call == Call::kGetTally));
  }
  const auto refused = check_head(Call::kGetTally, with_query("fromat=csv"));
  CHECK(refused.error().message.find("'fromat'") != std::string::npos);
  const std::string long_name(5000, 'x');
  CHECK(check_head(Call::kGetTally, with_query(long_name)).error().message.size() < 200);
}

TEST_CASE("the value of a parameter is checked, and a repeated parameter is refused") {
  for (const char* query : {"format=xml", "format=", "format", "format=CSV", "format=csv&format=csv", "from=x"}) {
    CAPTURE(query);
    CHECK(check_head(Call::kGetTally, with_query(query)).error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("a call that takes JSON needs the JSON media type") {
  for (const Call call : kCalls) {
    CAPTURE(static_cast<int>(call));
    const bool json = call == Call::kCreateTask || call == Call::kEstimate || call == Call::kMakeBackup;
    for (const char* type : {"application/json", "Application/JSON ; charset=utf-8"}) {
      CHECK(check_head(call, with_body(type, 5, "")));
    }
    for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"}) {
      CAPTURE(type);
      CHECK(check_head(call, with_body(type, 0, "")));
      CHECK(check_head(call, with_body(type, std::nullopt, "")));  // the client has not stated the length of the body
      for (const auto& request : {with_body(type, 5, ""), with_body(type, std::nullopt, "12345")}) {
        const auto checked = check_head(call, request);
        CHECK(bool(checked) == !json);
        if (!checked) CHECK(checked.error().code == ErrorCode::kUnsupportedMediaType);
      }
    }
  }
}

}  // namespace
}  // namespace hearsay::api
