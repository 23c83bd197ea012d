// Tests what the aggregator answers to a browser for a page of another origin (CORS).
#include <doctest/doctest.h>

#include "tests/e2e/aggregator.h"

namespace hearsay::e2e {
namespace {

constexpr std::string_view kPage = "https://app.example";

Reply call_from(const Aggregator& aggregator, std::string_view origin, std::string_view method, const std::string& path,
                std::string_view more = "Content-Length: 0\r\n\r\n") {
  http::TestClient client(aggregator.daemon->port(), http::TestClient::Tls::kAny);
  CHECK(client.send(std::string(method) + ' ' + path +
                    " HTTP/1.1\r\nHost: localhost\r\nOrigin: " + std::string(origin) + "\r\n" + std::string(more)));
  const auto reply = client.read(method == "HEAD");
  REQUIRE(reply);
  return *reply;
}

TEST_CASE(
    "a page of an allowed origin can read every answer at the allowed paths, also refusals by the server itself") {
  const Aggregator aggregator([](daemon::DaemonConfig& config) {
    config.allowed_origins = api::AllowedOrigins::parse({std::string(kPage)}).value();
    config.max_body_bytes = 1024;
  });
  const Task task = tests::small_task("b");
  aggregator.create(task);
  const auto allowed = [](const Reply& reply) { return reply.field("access-control-allow-origin"); };

  const Reply preflight = call_from(aggregator, kPage, "OPTIONS", path_of(task, "/reports"));
  CHECK(preflight.status == 204);
  CHECK(preflight.field("access-control-allow-methods") == "POST");
  CHECK(preflight.field("access-control-allow-headers") == "Authorization, Content-Type");
  CHECK(allowed(preflight) == kPage);

  const Reply document = call_from(aggregator, kPage, "GET", path_of(task));
  CHECK(document.status == 200);
  CHECK(allowed(document) == kPage);
  CHECK(document.field("access-control-expose-headers") == "Date, Retry-After");

  const std::string unknown = "/v1/tasks/" + std::string(43, 'A');
  const Reply refused = call_from(aggregator, kPage, "GET", unknown);
  CHECK(refused.status == 404);
  CHECK(allowed(refused) == kPage);
  const Reply malformed = call_from(aggregator, kPage, "POST", path_of(task, "/reports"),
                                    "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(malformed.status == 400);
  CHECK(allowed(malformed) == kPage);
  const Reply large = call_from(aggregator, kPage, "POST", path_of(task, "/reports"), "Content-Length: 1025\r\n\r\n");
  CHECK(large.status == 413);
  CHECK(allowed(large) == kPage);

  CHECK(allowed(call_from(aggregator, "https://evil.example", "GET", path_of(task))).empty());
  CHECK(call_from(aggregator, "https://evil.example", "OPTIONS", path_of(task, "/reports")).status == 405);
  CHECK(allowed(call_from(aggregator, kPage, "GET", "/v1/tasks")).empty());
  CHECK(call_from(aggregator, kPage, "OPTIONS", path_of(task, "/tally")).status == 405);
}

TEST_CASE("by default a page of another origin can read no answer") {
  const Aggregator aggregator;
  const Task task = tests::small_task("b");
  aggregator.create(task);
  CHECK(call_from(aggregator, kPage, "GET", path_of(task)).field("access-control-allow-origin").empty());
  CHECK(call_from(aggregator, kPage, "OPTIONS", path_of(task)).status == 405);
}

}  // namespace
}  // namespace hearsay::e2e
