#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/http/server.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using std::chrono::milliseconds;

TEST_CASE("connections over the limit are closed at once, and there is room again when others end") {
  HttpServerOptions options;
  options.max_connections = 2;
  const auto server = start_server(options, echo);
  TestClient first(server->port());
  {
    TestClient second(server->port());
    CHECK(first.get("/"));
    CHECK(second.get("/"));
    TestClient third(server->port());
    CHECK(third.closed_by_server());
    CHECK(server->counters().connections_refused == 1);
    CHECK(server->counters().connections_open == 2);
  }
  REQUIRE(eventually([&] { return server->counters().connections_open == 1; }));
  TestClient fourth(server->port());
  CHECK(fourth.get("/"));
  CHECK(server->counters().connections_accepted == 3);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST_CASE("without file descriptors the server waits, and serves again as soon as a descriptor is free") {
  const auto server = start_server({}, echo);
  CHECK(TestClient(server->port()).get("/"));
  REQUIRE(eventually([&] { return server->counters().connections_open == 0; }));

  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  std::vector<int> hoard;
  const rlimit tight{std::min<rlim_t>(before.rlim_cur, 256), before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &tight) == 0);
  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) hoard.push_back(fd);
  REQUIRE(!hoard.empty());
  ::close(hoard.back());  // the client needs this descriptor
  hoard.pop_back();
  {
    TestClient client(server->port());  // the kernel accepts the connection, but the server cannot
    REQUIRE(client.send("GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n"));
    const auto begin = std::chrono::steady_clock::now();
    const double cpu = cpu_seconds();
    std::this_thread::sleep_for(milliseconds(200));
    const double used = cpu_seconds() - cpu;
    // A busy loop would use the whole processor.
    CHECK(used < 0.5 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    CHECK(server->counters().connections_open == 0);
    for (const int fd : hoard) ::close(fd);
    const auto reply = client.read();
    REQUIRE(reply);
    CHECK(reply->body == "GET /waiting? [] ");
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("errors when the server starts say what is wrong") {
  const auto message = [](const HttpServerOptions& options, ErrorCode code) {
    const auto server = TestServer::start(options, echo);
    REQUIRE_FALSE(server);
    CHECK(server.error().code == code);
    return server.error().message;
  };
  const auto first = start_server({}, echo);
  CHECK(message({.port = first->port()}, ErrorCode::kIo) ==
        "cannot listen on 127.0.0.1:" + std::to_string(first->port()) + ": Address already in use");
  CHECK(message({.address = "localhost"}, ErrorCode::kInvalidArgument) == "'localhost' is not an IP address");
  CHECK(message({.address = "192.0.2.1"}, ErrorCode::kIo).starts_with("cannot listen on 192.0.2.1:0: "));
  CHECK(message({.threads = 0}, ErrorCode::kInvalidArgument).starts_with("threads "));
  CHECK(message({.max_header_bytes = 1}, ErrorCode::kInvalidArgument).starts_with("max_header_bytes "));
  CHECK(message({.max_connections = 0}, ErrorCode::kInvalidArgument).starts_with("max_connections "));
  CHECK(message({.header_timeout = milliseconds(0)}, ErrorCode::kInvalidArgument).starts_with("timeouts "));
}

TEST_CASE("the port of a stopped server is free at once") {
  auto server = start_server({}, echo);
  const std::uint16_t port = server->port();
  CHECK(TestClient(port).get("/"));
  server->stop(milliseconds(0));
  const auto next = start_server({.port = port}, echo);
  CHECK(next->port() == port);
  CHECK(TestClient(port).get("/"));
}

}  // namespace
}  // namespace hearsay::http
