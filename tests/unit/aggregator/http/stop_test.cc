#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/http/server.h"
#include "tests/support/patience.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLongDrain = 2 * tests::kPatience;

class Gate {
 public:
  void operator()(Request request, Respond respond) {
    if (request.path == "/now") return echo(std::move(request), respond);
    const std::lock_guard lock(mutex_);
    kept_.push_back({std::move(request), std::move(respond)});
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return kept_.size();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    for (auto& [request, respond] : kept_) echo(request, respond);
  }
  void drop() {
    const std::lock_guard lock(mutex_);
    kept_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<Request, Respond>> kept_;
};

bool refuses_connections(std::uint16_t port) {
  // If the first server still listened, this start would fail with "address in use".
  const auto other = TestServer::start({.port = port}, echo);
  return static_cast<bool>(other);
}

void check_drains(const HttpServerOptions& options, TestClient::Tls tls) {
  Gate gate;
  const auto server = start_server(options, std::ref(gate));
  TestClient slow(server->port(), tls);
  TestClient idle(server->port(), tls);
  TestClient sending(server->port(), tls);
  REQUIRE(idle.get("/now"));
  REQUIRE(slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"));
  REQUIRE(sending.get("/now"));
  REQUIRE(sending.send("POST /now HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"));
  auto reply = sending.read();
  REQUIRE(reply);
  REQUIRE(reply->status == 100);
  REQUIRE(sending.send("ab"));
  REQUIRE(eventually([&] { return gate.size() == 1; }));

  std::thread stopping([&] { server->stop(kLongDrain); });
  CHECK(idle.closed_by_server());  // the idle connection ends while the handler of `slow` still waits
  CHECK(eventually([&] { return refuses_connections(server->port()); }));
  CHECK(eventually([&] { return server->counters().connections_open == 2; }));
  REQUIRE(sending.send("c"));
  reply = sending.read();
  REQUIRE(reply);
  CHECK(reply->body == "POST /now? [] abc");
  CHECK(reply->field("connection") == "close");
  CHECK(sending.closed_by_server());
  gate.open();
  reply = slow.read();
  REQUIRE(reply);
  CHECK(reply->body == "GET /slow? [] ");
  CHECK(reply->field("connection") == "close");
  CHECK(slow.closed_by_server());
  const auto begin = steady_clock::now();
  { const TestClient gone = std::move(slow); }
  { const TestClient gone = std::move(sending); }
  stopping.join();
  CHECK(steady_clock::now() - begin < tests::kPatience);
  CHECK(server->counters().connections_open == 0);
  CHECK(server->counters().requests == 4);
}

TEST_CASE("stop() lets requests in progress finish, closes idle connections and accepts no new connections") {
  check_drains({.threads = 2}, TestClient::Tls::kOff);
}

TEST_CASE("stop() also drains over TLS") {
  const TestCertificate certificate;
  check_drains({.tls = certificate.files(), .threads = 2}, TestClient::Tls::kAny);
}

TEST_CASE("requests that take longer than the drain are cut off") {
  Gate gate;
  const auto server = start_server({}, std::ref(gate));
  TestClient waiting(server->port());
  TestClient sending(server->port());
  REQUIRE(waiting.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n"));
  REQUIRE(sending.send("GET /ne"));
  REQUIRE(eventually([&] { return gate.size() == 1; }));
  const auto begin = steady_clock::now();
  server->stop(milliseconds(100));
  CHECK(steady_clock::now() - begin >= milliseconds(100));
  CHECK_FALSE(waiting.read());
  CHECK_FALSE(sending.read());
  CHECK(server->counters().connections_open == 0);
  gate.open();
}

TEST_CASE("answers may come or be dropped after the server has gone") {
  Gate gate;
  {
    const auto server = start_server({.threads = 2}, std::ref(gate));
    std::vector<TestClient> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back(server->port());
      REQUIRE(clients.back().send("GET /kept HTTP/1.1\r\nHost: a\r\n\r\n"));
    }
    REQUIRE(eventually([&] { return gate.size() == 8; }));
  }
  gate.open();
  gate.drop();
  CHECK(gate.size() == 0);
}

TEST_CASE("answers at the moment of stop() do no harm") {
  for (int round = 0; round < 50; ++round) {
    Gate gate;
    auto server = start_server({.threads = 2}, std::ref(gate));
    std::vector<TestClient> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back(server->port());
      REQUIRE(clients.back().send("GET /kept HTTP/1.1\r\nHost: a\r\n\r\n"));
    }
    REQUIRE(eventually([&] { return gate.size() == 4; }));
    std::thread answering([&] { gate.open(); });
    server->stop(milliseconds(0));
    CHECK(server->counters().connections_open == 0);
    server.reset();
    answering.join();
  }
}

TEST_CASE("stop() may be called several times, also by several threads") {
  const auto server = start_server({.threads = 2}, echo);
  TestClient client(server->port());
  REQUIRE(client.get("/"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { server->stop(milliseconds(1000)); });
  for (auto& thread : threads) thread.join();
  server->stop(milliseconds(1000));
  CHECK(client.closed_by_server());
  CHECK(server->counters().connections_open == 0);
}

TEST_CASE("stop() does not wait for handshakes") {
  const TestCertificate certificate;
  const auto server = start_server({.tls = certificate.files()}, echo);
  TestClient silent(server->port());
  REQUIRE(eventually([&] { return server->counters().connections_open == 1; }));
  const auto begin = steady_clock::now();
  server->stop(kLongDrain);
  CHECK(steady_clock::now() - begin < tests::kPatience);
}

}  // namespace
}  // namespace hearsay::http
