#include <doctest/doctest.h>

#include <ctime>
#include <string>
#include <vector>

#include "aggregator/http/problem.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

std::string post(const std::string& path, std::size_t size, const std::string& fields = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "Content-Length: " + std::to_string(size) + "\r\n\r\n";
}

std::optional<HttpResponse> guard(const HttpRequest& head) {
  CHECK(head.body.empty());
  if (head.path != "/no") return std::nullopt;
  return make_problem({ErrorCode::kForbidden, "not this way"}, 403);
}

TEST_CASE(
    "after a refused request with a small body the connection stays open, and the body is not parsed as a request") {
  const auto server = start_server({}, echo, guard);
  TestClient client(server->port());
  const std::string decoy = "GET /decoy HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const std::size_t size : {std::size_t{0}, decoy.size(), std::size_t{60'000}}) {
    std::string body = decoy;
    body.resize(size, 'x');
    REQUIRE(client.send(post("/no", size) + body + "GET /yes HTTP/1.1\r\nHost: a\r\n\r\n"));
    auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->status == 403);
    reply = client.read();
    REQUIRE(reply);
    CHECK(reply->body == "GET /yes? [] ");
  }
  CHECK(server->counters().requests_rejected == 3);
  CHECK(server->counters().requests == 3);
}

TEST_CASE("a refused request with a large, chunked or expected body is answered at once and ends the connection") {
  const auto server = start_server({}, echo, guard);
  const std::vector<std::string> heads = {post("/no", 1'000'000), post("/no", 5, "Expect: 100-continue\r\n"),
                                          "POST /no HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"};
  for (const std::string& head : heads) {
    CAPTURE(head);
    TestClient client(server->port());
    REQUIRE(client.send(head));
    const auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->status == 403);
    CHECK(reply->field("connection") == "close");
    CHECK(client.closed_by_server());
  }
  CHECK(server->counters().requests == 0);
}

TEST_CASE("each address has a limit of connections, and gets room again when its connections end") {
  HttpServerOptions options;
  options.max_connections_per_address = 2;
  const auto server = start_server(options, echo);
  TestClient first(server->port());
  CHECK(first.get("/"));
  {
    TestClient second(server->port());
    CHECK(second.get("/"));
    CHECK(TestClient(server->port()).closed_by_server());
    CHECK(server->counters().connections_refused_per_address == 1);
    CHECK(server->counters().connections_refused == 0);
  }
  REQUIRE(eventually([&] { return server->counters().connections_open == 1; }));
  TestClient third(server->port());
  CHECK(third.get("/"));
}

TEST_CASE("on a socket for both families IPv4 clients count as different addresses") {
  HttpServerOptions options;
  options.address = "::";
  options.max_connections_per_address = 1;
  const auto server = TestServer::start(options, echo);
  if (!server) return;  // this machine has no IPv6
  TestClient first((*server)->port(), TestClient::Tls::kOff, nullptr, std::nullopt, 1);
  TestClient second((*server)->port(), TestClient::Tls::kOff, nullptr, std::nullopt, 2);
  CHECK(first.get("/"));
  CHECK(second.get("/"));
  CHECK(TestClient((*server)->port(), TestClient::Tls::kOff, nullptr, std::nullopt, 2).closed_by_server());
}

TEST_CASE("a request after a chunked body is served") {
  const auto server = start_server({}, echo);
  TestClient client(server->port());
  std::string requests;
  for (int i = 0; i < 20; ++i) {
    requests +=
        "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + post("/p", 2) + "de";
  }
  REQUIRE(client.send(requests));
  for (int i = 0; i < 20; ++i) {
    CHECK(client.read()->body == "POST /c? [] abc");
    CHECK(client.read()->body == "POST /p? [] de");
  }
}

TEST_CASE("a session is resumed on another thread and after a change of certificate") {
  TestCertificate certificate(1);
  HttpServerOptions options;
  options.tls = certificate.files();
  options.threads = 2;
  const auto server = start_server(options, echo);
  TestClient first(server->port(), TestClient::Tls::kOnly13);
  REQUIRE(first.get("/"));
  SSL_SESSION* session = SSL_get1_session(first.ssl());
  certificate.renew(2);
  REQUIRE(server->reload_certificate(static_cast<UnixSeconds>(std::time(nullptr))));
  // The first connection is still open, so this connection goes to the other thread.
  TestClient second(server->port(), TestClient::Tls::kOnly13, session);
  SSL_SESSION_free(session);
  REQUIRE(second.ready());
  CHECK(SSL_session_reused(second.ssl()) == 1);
  CHECK(second.get("/"));
  CHECK(eventually([&] { return server->counters().handshakes_resumed == 1; }));
  // The second connection also gets a ticket of its own.
  const auto ticket_of = [](SSL* ssl) {
    const unsigned char* bytes = nullptr;
    std::size_t size = 0;
    SSL_SESSION_get0_ticket(SSL_get0_session(ssl), &bytes, &size);
    return std::string(reinterpret_cast<const char*>(bytes), size);
  };
  CHECK_FALSE(ticket_of(second.ssl()).empty());
  CHECK(ticket_of(second.ssl()) != ticket_of(first.ssl()));
}

}  // namespace
}  // namespace hearsay::http
