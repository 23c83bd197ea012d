#include <doctest/doctest.h>

#include "aggregator/api/cross_origin.h"

namespace hearsay::api {
namespace {

const std::string kTaskPath = "/v1/tasks/" + std::string(43, 'A');
const std::string kPage = "https://app.example";

http::HttpRequest request_of(std::string_view method, std::string_view path, std::string_view origin) {
  http::HttpRequest request;
  request.method = method;
  request.path = path;
  request.origin = origin;
  return request;
}

std::string field(const http::HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

std::string allowed_by(const AllowedOrigins& origins, const std::string& path, const std::string& origin) {
  http::HttpResponse response;
  origins.add_fields(request_of("POST", path, origin), response);
  return field(response, "Access-Control-Allow-Origin");
}

TEST_CASE("a configured origin has a scheme, a host and perhaps a port, and nothing else") {
  for (const char* origin : {"https://app.example", "https://app.example:8443", "https://a-b.example", "https://[::1]",
                             "https://192.0.2.1:1", "http://localhost", "http://localhost:8080",
                             "http://127.0.0.1:65535", "http://[::1]:3000"}) {
    CAPTURE(origin);
    CHECK(AllowedOrigins::parse({origin}));
  }
  for (const char* origin : {"",
                             "*",
                             "null",
                             "https://*.example",
                             "https://app.example/",
                             "https://App.example",
                             "HTTPS://app.example",
                             "https://app.example:443",
                             "http://localhost:80",
                             "http://app.example",
                             "http://192.0.2.1",
                             "https://",
                             "https://:1",
                             "https://a:",
                             "https://a:0",
                             "https://a:65536",
                             "https://a:01",
                             "https://a:b",
                             "https://a b",
                             "app.example",
                             "ftp://app.example",
                             "https://user@app.example",
                             "https://app.example?x",
                             "https://[]",
                             "https://a,https://b",
                             "file://",
                             "http://localhost.example"}) {
    CAPTURE(origin);
    const auto refused = AllowedOrigins::parse({kPage, origin});
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("a page of an allowed origin may fetch a task and report, and nothing else") {
  const AllowedOrigins origins = AllowedOrigins::parse({"https://other.example", kPage}).value();
  for (const auto& [path, method] : {std::pair{kTaskPath, "GET"}, std::pair{kTaskPath + "/reports", "POST"}}) {
    CHECK(allowed_by(origins, path, kPage) == kPage);
    const auto preflight = origins.preflight(request_of("OPTIONS", path, kPage));
    REQUIRE(preflight);
    CHECK(preflight->status == 204);
    CHECK(field(*preflight, "Access-Control-Allow-Methods") == method);
    for (const char* origin : {"", "https://app.example:8443", "https://app.example.evil.example", "http://app.example",
                               "null", "*", "https://app.exampl"}) {
      CAPTURE(origin);
      CHECK(allowed_by(origins, path, origin).empty());
      CHECK(!origins.preflight(request_of("OPTIONS", path, origin)));
    }
    CHECK(!origins.preflight(request_of("GET", path, kPage)));
  }
  for (const std::string path : {"/v1/tasks", "/v1/status", "/v1/backups", "/", "/v1/tasks/short"}) {
    CHECK(allowed_by(origins, path, kPage).empty());
    CHECK(!origins.preflight(request_of("OPTIONS", path, kPage)));
  }
  for (const char* call : {"/close", "/estimates", "/tally"})
    CHECK(allowed_by(origins, kTaskPath + call, kPage).empty());
}

TEST_CASE("caches store the answers to two origins separately") {
  http::HttpResponse response;
  AllowedOrigins::parse({kPage}).value().add_fields(request_of("GET", kTaskPath, "https://other.example"), response);
  CHECK(field(response, "Vary") == "Origin");
}

TEST_CASE("without configured origins the answer has no header for browsers") {
  http::HttpResponse response;
  AllowedOrigins().add_fields(request_of("GET", kTaskPath, kPage), response);
  CHECK(response.headers.empty());
  CHECK(!AllowedOrigins().preflight(request_of("OPTIONS", kTaskPath, kPage)));
}

}  // namespace
}  // namespace hearsay::api
