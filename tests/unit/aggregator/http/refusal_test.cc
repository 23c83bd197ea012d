// Tests requests that never reach the handler.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/http/server.h"
#include "common/base/strict_json.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using std::chrono::milliseconds;

struct RefusedRequest {
  std::string request;
  unsigned status;
  std::string error;
};

std::vector<RefusedRequest> malformed_requests() {
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  const auto bad = [](std::string request) { return RefusedRequest{std::move(request), 400, "invalid_argument"}; };
  return {
      // Request lines.
      bad("GET\r\n\r\n"),
      bad("GET /\r\n\r\n"),
      bad("GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
      bad("GET / HTTP/0.9\r\nHost: a\r\n\r\n"),
      bad("GET / HTTP/1.12\r\nHost: a\r\n\r\n"),
      bad("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
      bad("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
      bad("GET / HTTP/1.1\r\nHost: user@a\r\n\r\n"),
      bad("GET / http/1.1\r\nHost: a\r\n\r\n"),
      bad("GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
      bad("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("G@T / HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("/ HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      bad("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("GET /%0d%0aX HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("GET /% HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("GET /#f HTTP/1.1\r\nHost: a\r\n\r\n"),
      bad("\x16\x03\x01\x02\x01"),
      // Line ends and fields.
      bad("GET / HTTP/1.1\nHost: a\n\n"),
      bad("GET / HTTP/1.1\r\nHost: a\n\r\n"),
      bad("GET / HTTP/1.1\rHost: a\r\n\r\n"),
      bad(get + "X: a\r\n b\r\n\r\n"),
      bad(get + " X: a\r\n\r\n"),
      bad(get + "X : a\r\n\r\n"),
      bad(get + ": a\r\n\r\n"),
      bad(get + "X\r\n\r\n"),
      bad(get + "X\xc3\xa9: a\r\n\r\n"),
      bad(get + "X: a\x01"
                "b\r\n\r\n"),
      bad(get + std::string("X: a\0b\r\n\r\n", 10)),
      bad("\r\n\r\n\r\n"),
      // Host fields.
      bad("GET / HTTP/1.1\r\n\r\n"),
      bad(get + "Host: a\r\n\r\n"),
      bad(get + "hOsT: b\r\n\r\n"),
      // Smuggling: two readers could disagree about the end of the body.
      bad(post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
      bad(post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      bad(post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
      bad(post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
      bad(post + "Content-Length: 5, 5\r\n\r\nhello"),
      bad(post + "Content-Length: 5,6\r\n\r\nhello"),
      bad(post + "Content-Length: +5\r\n\r\nhello"),
      bad(post + "Content-Length: -5\r\n\r\nhello"),
      bad(post + "Content-Length: 0x5\r\n\r\nhello"),
      bad(post + "Content-Length: 5 5\r\n\r\nhello"),
      bad(post + "Content-Length:\r\n\r\n"),
      bad(post + "Content-Length: 99999999999999999999\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      bad("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      {post + "Transfer-Encoding: gzip\r\n\r\n", 501, "unsupported"},
      {post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501, "unsupported"},
      {post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 501, "unsupported"},
      {post + "Transfer-Encoding: identity\r\n\r\n", 501, "unsupported"},
      {post + "Transfer-Encoding: xchunked\r\n\r\n", 501, "unsupported"},
      // Chunks.
      bad(post + "Transfer-Encoding: chunked\r\n\r\nx\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\n\r\n3;a=\"\n\"\r\nabc\r\n0\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0;a=\"\n\"\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0;a=\"" + std::string(1, '\0') + "\"\r\n\r\n"),
      bad(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\n\n"),
      {post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 413, "body_too_large"},
      // Repeated fields, and features that the server does not support.
      bad(get + "Authorization: a\r\nAuthorization: b\r\n\r\n"),
      bad(get + "Origin: https://a\r\nOrigin: https://b\r\n\r\n"),
      bad(post + "Content-Type: a\r\nContent-Type: b\r\nContent-Length: 0\r\n\r\n"),
      {post + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", 415, "unsupported_media_type"},
      {get + "Expect: something\r\n\r\n", 417, "unsupported"},
  };
}

void check_problem(const std::optional<Reply>& reply, unsigned status, const std::string& error) {
  REQUIRE(reply);
  CHECK(reply->status == status);
  CHECK(reply->field("content-type") == "application/problem+json");
  CHECK(reply->field("connection") == "close");
  CHECK(reply->field("x-content-type-options") == "nosniff");
  const Json document = Json::parse(reply->body);
  CHECK(document.at("status") == status);
  CHECK(document.at("type") == "urn:hearsay:error:" + error);
  CHECK(document.at("detail").get<std::string>() != "");
}

TEST_CASE("the server refuses a malformed request and closes the connection, and no handler sees the request") {
  std::atomic<int> handled = 0;
  const auto server = start_server({}, [&](Request request, const Respond& respond) {
    ++handled;
    echo(std::move(request), respond);
  });
  const std::vector<RefusedRequest> table = malformed_requests();
  for (const RefusedRequest& row : table) {
    CAPTURE(row.request);
    TestClient client(server->port());
    // The server must not take the bytes after a malformed request for a request.
    client.send(row.request + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
    check_problem(client.read(), row.status, row.error);
    CHECK(client.closed_by_server());
  }
  CHECK(handled == 0);
  CHECK(server->counters().requests == 0);
  CHECK(server->counters().requests_refused == table.size());
  CHECK(TestClient(server->port()).get("/"));
}

TEST_CASE("a body at the limit is served, and one byte more is refused before the body is read") {
  HttpServerOptions options;
  options.max_body_bytes = 1000;
  const auto server = start_server(options, echo);
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  {
    TestClient client(server->port());
    REQUIRE(client.send(post + "Content-Length: 1000\r\n\r\n" + std::string(1000, 'x')));
    CHECK(client.read()->status == 200);
    REQUIRE(client.send(post + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + std::string(1000, 'x') + "\r\n0\r\n\r\n"));
    CHECK(client.read()->status == 200);
    REQUIRE(client.send(post + "Content-Length: 1001\r\n\r\n"));  // no byte of the body
    check_problem(client.read(), 413, "body_too_large");
    CHECK(client.closed_by_server());
  }
  {
    TestClient client(server->port());
    REQUIRE(client.send(post + "Transfer-Encoding: chunked\r\n\r\n3e7\r\n" + std::string(999, 'x') + "\r\n2\r\n"));
    check_problem(client.read(), 413, "body_too_large");
    CHECK(client.closed_by_server());
  }
}

TEST_CASE("a client that goes on sending a refused body still gets the answer") {
  HttpServerOptions options;
  options.max_body_bytes = 1000;
  const auto server = start_server(options, echo);
  TestClient client(server->port());
  REQUIRE(client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n"));
  CHECK(client.send(std::string(4'000'000, 'x')));
  check_problem(client.read(), 413, "body_too_large");
  CHECK(client.closed_by_server());
}

TEST_CASE("a header at the limit is served, and one byte more is refused") {
  HttpServerOptions options;
  options.max_header_bytes = 500;
  const auto server = start_server(options, echo);
  const std::string begin = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  const auto head = [&](std::size_t size) { return begin + std::string(size - begin.size() - 4, 'x') + "\r\n\r\n"; };
  TestClient client(server->port());
  REQUIRE(client.send(head(500)));
  CHECK(client.read()->status == 200);
  REQUIRE(client.send(head(501)));
  check_problem(client.read(), 431, "limit_exceeded");
  CHECK(client.closed_by_server());

  SUBCASE("the limit also holds before the header ends") {
    TestClient endless(server->port());
    REQUIRE(endless.send(begin + std::string(500, 'x')));
    check_problem(endless.read(), 431, "limit_exceeded");
  }
  SUBCASE("chunks with trailers or extensions are refused") {
    for (const char* tail : {"0\r\nX: ", "1;x="}) {
      TestClient endless(server->port());
      REQUIRE(endless.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(tail)));
      check_problem(endless.read(), 400, "invalid_argument");
    }
  }
}

TEST_CASE("a request that is too slow gets a 408, wherever it stops") {
  HttpServerOptions options;
  options.header_timeout = options.body_timeout = milliseconds(60);
  const auto server = start_server(options, echo);
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  std::uint64_t refused = 0;
  for (const std::string& part :
       {std::string("P"), post, post + "Content-Length: 5\r\n\r\n", post + "Content-Length: 5\r\n\r\nhell",
        post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
    CAPTURE(part);
    TestClient client(server->port());
    REQUIRE(client.send(part));
    check_problem(client.read(), 408, "timed_out");
    CHECK(client.closed_by_server());
    CHECK(server->counters().requests_refused == ++refused);
  }
  CHECK(eventually([&] { return server->counters().connections_open == 0; }));
}

TEST_CASE("connections without a request are closed without an answer") {
  HttpServerOptions before_the_first;
  before_the_first.first_byte_timeout = milliseconds(60);
  const auto server = start_server(before_the_first, echo);
  CHECK(TestClient(server->port()).closed_by_server());
  HttpServerOptions between_two;
  between_two.idle_timeout = milliseconds(60);
  const auto other = start_server(between_two, echo);
  TestClient idle(other->port());
  CHECK(idle.get("/"));
  CHECK(idle.closed_by_server());
  for (const auto& each : {&server, &other}) {
    CHECK((*each)->counters().requests_refused == 0);
    CHECK(eventually([&] { return (*each)->counters().connections_open == 0; }));
  }
}

TEST_CASE("a client that sends single bytes slowly cannot extend the time for a request") {
  HttpServerOptions options;
  options.header_timeout = options.body_timeout = milliseconds(100);
  const auto server = start_server(options, echo);
  TestClient client(server->port());
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"));
  std::atomic<bool> enough = false;
  std::thread trickle([&] {
    while (!enough && server->counters().requests_refused == 0 && client.send("x")) {
      std::this_thread::sleep_for(milliseconds(10));
    }
  });
  CHECK(eventually([&] { return server->counters().requests_refused == 1; }));
  CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(90));
  enough = true;
  trickle.join();
  check_problem(client.read(), 408, "timed_out");
}

}  // namespace
}  // namespace hearsay::http
