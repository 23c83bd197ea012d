#include "aggregator/http/problem.h"

#include <doctest/doctest.h>

#include <string>

#include "common/base/strict_json.h"

namespace hearsay::http {
namespace {

TEST_CASE("a problem document has the four members of RFC 9457") {
  const HttpResponse response = make_problem({ErrorCode::kQueryNotVisible, "margin \"zero\""}, 422);
  CHECK(response.status == 422);
  CHECK(response.content_type == "application/problem+json");
  CHECK(response.headers.empty());
  CHECK(
      response.body ==
      R"({"detail":"margin \"zero\"","status":422,"title":"Query not visible","type":"urn:hearsay:error:query_not_visible"})");
}

TEST_CASE("the title of a problem is its name as words") {
  const Json document = Json::parse(make_problem({ErrorCode::kUnrecognizedTask, "x"}, 404).body);
  CHECK(document.at("title") == "Unrecognized task");
  CHECK(document.at("type") == "urn:hearsay:error:unrecognizedTask");
}

TEST_CASE("if the server is overloaded or the store fails, the answer asks the client to come back") {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  CHECK(make_problem({ErrorCode::kOverloaded, ""}, 503).headers == Fields{{"Retry-After", "1"}});
  CHECK(make_problem({ErrorCode::kStoreFailed, ""}, 503).headers == Fields{{"Retry-After", "5"}});
  CHECK(make_problem({ErrorCode::kStoreCorrupt, ""}, 500).headers.empty());
}

TEST_CASE("a message that is not UTF-8 still gives a valid problem document") {
  const Json document = Json::parse(make_problem({ErrorCode::kNotFound, "no \xff\xfe here"}, 404).body);
  CHECK(document.at("detail").get<std::string>().starts_with("no "));
}

}  // namespace
}  // namespace hearsay::http
