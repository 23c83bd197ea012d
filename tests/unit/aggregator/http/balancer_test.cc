// Tests clients behind a balancer: the limits by address, with and without the PROXY protocol.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "aggregator/http/server.h"
#include "tests/support/patience.h"
#include "tests/unit/aggregator/http/proxy_bytes.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using std::chrono::milliseconds;

AddressRanges ranges(const char* text) { return {AddressRange::parse(text).value()}; }

constexpr unsigned kBalancer = 2;

HttpServerOptions behind_balancer() {
  HttpServerOptions options;
  options.proxy_protocol_from = ranges("127.0.0.2");
  return options;
}

TestClient from_balancer(const TestServer& server, std::string_view ahead,
                         TestClient::Tls tls = TestClient::Tls::kOff) {
  return TestClient(server->port(), tls, nullptr, std::nullopt, kBalancer, ahead);
}

TEST_CASE("a request after a PROXY header is served, in plain text and over TLS") {
  const TestCertificate certificate;
  HttpServerOptions options = behind_balancer();
  SUBCASE("in plain text") {
    const auto server = start_server(options, echo);
    const auto reply = from_balancer(server, proxy_header_of(9)).get("/a");
    REQUIRE(reply);
    CHECK(reply->status == 200);
  }
  SUBCASE("over TLS") {
    options.tls = certificate.files();
    const auto server = start_server(options, echo);
    TestClient client = from_balancer(server, proxy_header_of(9, "field"), TestClient::Tls::kAny);
    REQUIRE(client.ready());
    CHECK(client.get("/a"));
    CHECK(server->counters().handshakes == 1);
  }
  SUBCASE("the header arrives in pieces") {
    const auto server = start_server(options, echo);
    TestClient client = from_balancer(server, "");
    for (const char byte : proxy_header_of(9)) REQUIRE(client.send({&byte, 1}));
    CHECK(client.get("/a"));
  }
}

TEST_CASE("a connection of the balancer without a valid header ends without an answer") {
  const auto server = start_server(behind_balancer(), echo);
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::vector<std::string> others{request, "PROXY TCP4 203.0.113.9 192.0.2.1 4660 443\r\n" + request,
                                        proxy_header(0x21, 0x00, "") + request,
                                        proxy_header_of(9, std::string(4096, 'x')) + request};
  for (std::size_t i = 0; i < others.size(); ++i) {
    CAPTURE(i);
    TestClient client = from_balancer(server, others[i]);
    CHECK_FALSE(client.read());
    CHECK(eventually([&] { return server->counters().proxy_headers_refused == i + 1; }));
  }
  from_balancer(server, proxy_header_of(9).substr(0, 20)).reset();
  CHECK(eventually([&] { return server->counters().proxy_headers_refused == others.size() + 1; }));
  CHECK(eventually([&] { return server->counters().connections_open == 0; }));
  CHECK(server->counters().requests == 0);
}

TEST_CASE("a header that does not come in time ends the connection") {
  HttpServerOptions options = behind_balancer();
  options.handshake_timeout = milliseconds(100);
  const auto server = start_server(options, echo);
  TestClient client = from_balancer(server, proxy_header_of(9).substr(0, 20));
  CHECK(client.closed_by_server());
  CHECK(server->counters().timeouts == 1);
  CHECK(server->counters().proxy_headers_refused == 1);
}

TEST_CASE("only the configured balancer may name a client in a header") {
  const auto server = start_server(behind_balancer(), echo);
  TestClient stranger(server->port(), TestClient::Tls::kOff, nullptr, std::nullopt, 3, proxy_header_of(9));
  const auto reply = stranger.get("/");
  REQUIRE(reply);
  CHECK(reply->status == 400);
  CHECK(TestClient(server->port(), TestClient::Tls::kOff, nullptr, std::nullopt, 3).get("/"));
}

TEST_CASE("a connection counts for the client in the header, not for the balancer") {
  HttpServerOptions options = behind_balancer();
  options.max_connections_per_address = 2;
  const auto server = start_server(options, echo);
  std::vector<TestClient> held;
  for (const unsigned char host : {9, 9, 10, 10}) {
    held.push_back(from_balancer(server, proxy_header_of(host)));
    REQUIRE(held.back().get("/"));
  }
  CHECK_FALSE(from_balancer(server, proxy_header_of(9)).get("/"));
  CHECK(server->counters().connections_refused_per_address == 1);
  CHECK(server->counters().proxy_headers_refused == 0);

  for (int i = 0; i < 4; ++i) {  // these connections name no client
    held.push_back(from_balancer(server, local_proxy_header()));
    REQUIRE(held.back().get("/"));
  }
  held.clear();
  REQUIRE(eventually([&] { return server->counters().connections_open == 0; }));
  CHECK(from_balancer(server, proxy_header_of(9)).get("/"));
}

TEST_CASE("memory counts for the client in the header") {
  HttpServerOptions options = behind_balancer();
  options.max_buffered_bytes_per_address = options.max_body_bytes = 20'000;
  const auto server = start_server(options, echo);
  const std::string body(15'000, 'x');
  const std::string begun = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 15001\r\n\r\n" + body;
  TestClient first = from_balancer(server, proxy_header_of(9) + begun);
  REQUIRE(eventually([&] { return server->counters().buffered_body_bytes >= 15'000 - 8192; }));
  TestClient other = from_balancer(server, proxy_header_of(10) + begun + "x");
  const auto reply = other.read();
  REQUIRE(reply);
  CHECK(reply->status == 200);
  TestClient same = from_balancer(server, proxy_header_of(9) + begun + "x");
  const auto refused = same.read();
  REQUIRE(refused);
  CHECK(refused->status == 503);
  CHECK(server->counters().requests_overload_per_address == 1);
}

TEST_CASE("an address that is configured as shared has no limit of its own") {
  HttpServerOptions options;
  options.max_connections_per_address = 1;
  options.max_buffered_bytes_per_address = options.max_body_bytes = 20'000;
  options.shared_addresses = ranges("127.0.0.2/31");
  const auto server = start_server(options, echo);
  std::vector<TestClient> held;
  const std::string begun = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 15001\r\n\r\n" + std::string(15'000, 'x');
  for (int i = 0; i < 3; ++i) held.push_back(from_balancer(server, begun));
  for (TestClient& client : held) {
    REQUIRE(client.send("x"));
    const auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->status == 200);
  }
  CHECK(server->counters().connections_refused_per_address == 0);
  const TestClient stranger(server->port());
  TestClient second(server->port());
  CHECK_FALSE(second.get("/"));
}

TEST_CASE("a client in a header has no limit if its address is configured as shared") {
  HttpServerOptions options = behind_balancer();
  options.max_connections_per_address = 1;
  options.shared_addresses = ranges("203.0.113.9");
  const auto server = start_server(options, echo);
  std::vector<TestClient> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(from_balancer(server, proxy_header_of(9)));
    CHECK(held.back().get("/"));
  }
}

TEST_CASE("a drain does not wait for a PROXY header, and does not count the connection as refused") {
  const auto server = start_server(behind_balancer(), echo);
  TestClient client = from_balancer(server, "\r\n");
  REQUIRE(eventually([&] { return server->counters().connections_open == 1; }));
  const auto begun = std::chrono::steady_clock::now();
  server->stop(2 * tests::kPatience);
  CHECK(std::chrono::steady_clock::now() - begun < tests::kPatience);
  CHECK(server->counters().proxy_headers_refused == 0);
}

}  // namespace
}  // namespace hearsay::http
