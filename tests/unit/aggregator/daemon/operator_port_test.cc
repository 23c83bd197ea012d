#include "aggregator/daemon/operator_port.h"

#include <doctest/doctest.h>

#include <sstream>

namespace hearsay::daemon {
namespace {

struct OperatorFixture {
  metrics::MetricsRegistry metrics;
  std::ostringstream out;
  Log log{LogLevel::kInfo, &out};
  std::vector<std::string_view> reasons;
  std::vector<std::string_view> warnings;
  std::vector<std::string> unavailable;
  OperatorView view{metrics,
                    log,
                    [this] { return reasons; },
                    [this] { return warnings; },
                    [this] { return unavailable; },
                    {"metrics.example"}};

  http::HttpResponse ask(std::string_view method, std::string_view path, std::string_view body = "") {
    return answer_operator(view, request_of(method, path, body));
  }

  static http::HttpRequest request_of(std::string_view method, std::string_view path, std::string_view body = "") {
    http::HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.host = "localhost:9443";
    return request;
  }
};

TEST_CASE_FIXTURE(OperatorFixture, "/healthz says that the process lives, and /readyz says why it is not ready") {
  CHECK(ask("GET", "/healthz").status == 200);
  CHECK(ask("GET", "/healthz").body == "{\"status\":\"ok\"}\n");
  const http::HttpResponse ready = ask("GET", "/readyz");
  CHECK(ready.status == 200);
  CHECK(parse_json(ready.body).value() ==
        Json{{"ready", true}, {"reasons", Json::array()}, {"warnings", Json::array()}});
  warnings = {"memory_nearly_full"};
  const http::HttpResponse pressed = ask("GET", "/readyz");
  CHECK(pressed.status == 200);
  CHECK(parse_json(pressed.body)->at("warnings") == Json{"memory_nearly_full"});
  warnings.clear();
  reasons = {"draining", "queue_full"};
  const http::HttpResponse unready = ask("GET", "/readyz");
  CHECK(unready.status == 503);
  CHECK(parse_json(unready.body).value() ==
        Json{{"ready", false}, {"reasons", {"draining", "queue_full"}}, {"warnings", Json::array()}});
  CHECK(ask("GET", "/healthz").status == 200);
}

TEST_CASE_FIXTURE(OperatorFixture, "/metrics shows the metrics of the registry") {
  metrics.counter("x_total", "h").increment(4);
  const http::HttpResponse response = ask("GET", "/metrics");
  CHECK(response.status == 200);
  CHECK(response.content_type == metrics::kMetricsContentType);
  CHECK(response.body.find("x_total 4\n") != std::string::npos);
}

TEST_CASE_FIXTURE(OperatorFixture, "the log level can be read and changed, and the change is logged") {
  CHECK(parse_json(ask("GET", "/log-level").body)->at("log_level") == "info");
  log.write(LogLevel::kDebug, "dropped");
  CHECK(ask("PUT", "/log-level", "debug\n").status == 200);
  CHECK(log.level() == LogLevel::kDebug);
  log.write(LogLevel::kDebug, "kept");
  for (const char* body : {"", "loud", "DEBUG", "\"info\"", "info warn"}) {
    CAPTURE(body);
    CHECK(ask("PUT", "/log-level", body).status == 400);
  }
  CHECK(log.level() == LogLevel::kDebug);
  CHECK(out.str().find("dropped") == std::string::npos);
  CHECK(out.str().find("\"event\":\"kept\"") != std::string::npos);
  CHECK(out.str().find("\"event\":\"log_level_changed\",\"log_level\":\"debug\"") != std::string::npos);
}

TEST_CASE_FIXTURE(OperatorFixture, "other methods and paths get problem documents") {
  CHECK(ask("GET", "/").status == 404);
  CHECK(ask("GET", "/metrics/").status == 404);
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    const http::HttpResponse response = ask("POST", path);
    CHECK(response.status == 405);
    REQUIRE(response.headers.size() == 1);
    CHECK(response.headers[0] == std::pair<std::string, std::string>{"Allow", "GET, HEAD"});
  }
  CHECK(ask("DELETE", "/log-level").headers.at(0).second == "GET, HEAD, PUT");
}

TEST_CASE_FIXTURE(OperatorFixture, "a web page is refused, both from its own origin and under a host name of its own") {
  const std::vector<std::pair<const char*, const char*>> calls{
      {"PUT", "/log-level"}, {"GET", "/log-level"}, {"GET", "/metrics"}, {"GET", "/readyz"}, {"GET", "/healthz"}};
  for (const auto& call : calls) {
    CAPTURE(call.second);
    http::HttpRequest request = request_of(call.first, call.second, "debug");
    for (const char* origin : {"https://evil.example", "http://localhost:9443", "null"}) {
      request.origin = origin;
      CHECK(answer_operator(view, request).status == 403);
    }
    request.origin = "";
    for (const char* host : {"evil.example:9443", "localhost.evil.example", "127.0.0.1.evil.example:9443", "localhos",
                             "metrics.example.", "[::1", "[evil.example]:9443", "0x7f000001"}) {
      CAPTURE(host);
      request.host = host;
      CHECK(answer_operator(view, request).status == 403);
    }
  }
  CHECK(log.level() == LogLevel::kInfo);
  for (const char* host : {"", "localhost", "LocalHost:9443", "127.0.0.1:9443", "10.1.2.3", "[::1]:9443",
                           "[2001:db8::1]", "Metrics.example:80"}) {
    CAPTURE(host);
    http::HttpRequest request = request_of("PUT", "/log-level", "debug");
    request.host = host;
    CHECK(answer_operator(view, request).status == 200);
  }
}

TEST_CASE_FIXTURE(OperatorFixture, "the error about an unknown query parameter names the parameter") {
  http::HttpRequest request = request_of("GET", "/metrics");
  request.query = "name[]=x";
  const http::HttpResponse response = answer_operator(view, request);
  CHECK(response.status == 400);
  CHECK(response.body.find("name[]") != std::string::npos);
}

}  // namespace
}  // namespace hearsay::daemon
