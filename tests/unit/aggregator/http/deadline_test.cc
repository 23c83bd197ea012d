#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "aggregator/http/server.h"
#include "tests/support/patience.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST_CASE("if a new phase of a request makes the deadline earlier, the connection ends at the new deadline") {
  HttpServerOptions options;
  options.first_byte_timeout = 2 * tests::kPatience;
  options.header_timeout = milliseconds(100);
  const auto server = start_server(options, echo);
  TestClient late(server->port());
  std::this_thread::sleep_for(milliseconds(50));
  const auto begun = Clock::now();
  REQUIRE(late.send("G"));
  const auto refusal = late.read();
  REQUIRE(refusal);
  CHECK(refusal->status == 408);
  CHECK(Clock::now() - begun >= milliseconds(90));
  CHECK(eventually([&] { return server->counters().connections_open == 0; }));
}

TEST_CASE("if a new phase of a request makes the deadline later, the old deadline does not count") {
  // The head of a request has a shorter deadline than the rest.
  HttpServerOptions options;
  options.header_timeout = milliseconds(100);
  const auto server = start_server(options, echo);
  TestClient busy(server->port());
  for (int i = 0; i < 6; ++i) {
    REQUIRE(busy.get("/"));
    std::this_thread::sleep_for(milliseconds(150));
  }
  CHECK(server->counters().timeouts == 0);
}

TEST_CASE("an idle connection is closed after its time limit") {
  HttpServerOptions options;
  options.idle_timeout = milliseconds(400);
  const auto server = start_server(options, echo);
  TestClient client(server->port());
  const auto begun = Clock::now();
  REQUIRE(client.get("/"));
  CHECK(client.closed_by_server());
  CHECK(Clock::now() - begun >= milliseconds(390));
  CHECK(server->counters().timeouts == 1);
}

TEST_CASE("each of many connections has a deadline of its own") {
  HttpServerOptions options;
  options.threads = 2;
  options.idle_timeout = milliseconds(300);
  const auto server = start_server(options, echo);
  std::vector<TestClient> leaving;
  std::vector<TestClient> staying;
  for (int i = 0; i < 150; ++i) {
    REQUIRE(leaving.emplace_back(server->port()).get("/"));
    REQUIRE(staying.emplace_back(server->port()).get("/"));
  }
  leaving.clear();  // this is before their deadline, unless the machine is slow
  for (TestClient& client : staying) CHECK(client.closed_by_server());
  CHECK(eventually([&] { return server->counters().connections_open == 0; }));
  CHECK(server->counters().timeouts >= staying.size());
}

TEST_CASE("stopping a server does not wait for deadlines") {
  HttpServerOptions options;
  options.first_byte_timeout = options.idle_timeout = options.handshake_timeout = 2 * tests::kPatience;
  const auto server = start_server(options, echo);
  TestClient silent(server->port());
  TestClient idle(server->port());
  REQUIRE(idle.get("/"));
  const auto begun = Clock::now();
  server->stop(2 * tests::kPatience);
  CHECK(Clock::now() - begun < tests::kPatience);
}

TEST_CASE("the time that a handler takes does not count towards the client's deadline") {
  HttpServerOptions options;
  options.header_timeout = options.body_timeout = options.idle_timeout = options.write_timeout = milliseconds(40);
  std::vector<std::thread> threads;
  const auto server = start_server(options, [&](Request request, Respond respond) {
    threads.emplace_back([request = std::move(request), respond = std::move(respond)]() mutable {
      std::this_thread::sleep_for(milliseconds(150));
      echo(std::move(request), respond);
    });
  });
  TestClient client(server->port());
  const auto reply = client.get("/slow");
  REQUIRE(reply);
  CHECK(reply->status == 200);
  for (auto& thread : threads) thread.join();
}

TEST_CASE("a client that does not read its answer is disconnected") {
  HttpServerOptions options;
  options.write_timeout = milliseconds(100);
  const auto server = start_server(options, [](const Request&, const Respond& respond) {
    respond({.body = std::string(64U << 20U, 'x')});  // this is more than the kernel buffers for a connection
  });
  TestClient client(server->port());
  REQUIRE(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  REQUIRE(eventually([&] { return server->counters().requests == 1; }));
  CHECK(eventually([&] { return server->counters().connections_open == 0; }));
}

}  // namespace
}  // namespace hearsay::http
