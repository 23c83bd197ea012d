// Tests how much memory clients can make the server hold, and who is served meanwhile.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using Tls = TestClient::Tls;

std::string upload(const std::string& path, std::size_t size) {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

std::string chunked(const std::string& path, const std::string& body) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", body.size());
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + size + body + "\r\n0\r\n\r\n";
}

TestClient from(const HttpServer& server, unsigned host, Tls tls = Tls::kOff) {
  TestClient client(server.port(), tls, nullptr, std::nullopt, host);
  const int small = 1U << 16U;
  ::setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  return client;
}

// More bytes than the kernel buffers for a client that does not read.
constexpr std::size_t kLarge = 8U << 20U;

// Answers with the size of the body. Requests to /large get kLarge bytes, and requests to /shared get a shared
// document. Requests to /trusted/… come from trusted clients.
class MemoryHandler final : public HttpHandler {
 public:
  std::variant<HttpResponse, HandleRequest> admit(const HttpRequest& head) override {
    return HandleRequest(
        [this](HttpExchange exchange) {
          ++handled;
          const HttpRequest& request = exchange.request();
          HttpResponse response{200, "text/plain", std::to_string(request.body.size()), {}};
          if (request.path.ends_with("/large")) response.body.assign(kLarge, 'l');
          if (request.path.ends_with("/shared")) response.shared_body = document;
          std::move(exchange).respond(std::move(response));
        },
        head.path.starts_with("/trusted"));
  }
  std::atomic<int> handled = 0;
  const std::shared_ptr<const std::string> document = std::make_shared<const std::string>(kLarge, 'd');
};

// The server has room for 800,000 bytes. 200,000 of these bytes are only for trusted clients, and each address may use
// 100,000.
struct MemoryFixture {
  explicit MemoryFixture(Tls tls = Tls::kOff) {
    options.max_body_bytes = 100'000;
    options.max_buffered_bytes = 800'000;
    options.max_buffered_bytes_per_address = 1;  // one body of the largest size is allowed in any case
    if (tls != Tls::kOff) options.tls = certificate.files();
    options = patient(options);
    server = *HttpServer::start(options, handler);
  }
  // Returns clients that send bodies until the server accepts no more bytes from their address.
  std::vector<TestClient> fill(unsigned host) {
    std::vector<TestClient> clients;
    const std::uint64_t before = held();
    for (int i = 0; i < 4; ++i) {
      clients.push_back(from(*server, host));
      REQUIRE(clients.back().send(upload("/", 100'000) + std::string(25'000, 'x')));
    }
    REQUIRE(eventually([&] { return held() == before + 100'000; }));
    return clients;
  }
  std::uint64_t held() const { return server->counters().buffered_body_bytes; }

  const TestCertificate certificate;
  HttpServerOptions options;
  MemoryHandler handler;
  std::unique_ptr<HttpServer> server;
};

void check_taken(TestClient client, const std::string& request, const std::string& answer) {
  REQUIRE(client.send(request));
  const auto reply = client.read();
  REQUIRE(reply);
  CHECK(reply->status == 200);
  CHECK(reply->body == answer);
}

void check_refused(TestClient client, const std::string& request) {
  client.send(request);
  const auto reply = client.read();
  REQUIRE(reply);
  CHECK(reply->status == 503);
  CHECK(reply->field("retry-after") == "1");
  CHECK(client.closed_by_server());
}

const std::string kBody(90'000, 'b');

TEST_CASE("clients that announce large bodies and send nothing hold no memory, and delay no other client") {
  HttpServerOptions options;
  MemoryHandler handler;
  const auto server = *HttpServer::start(patient(options), handler);
  std::vector<TestClient> silent;
  for (int i = 0; i < 64; ++i) {
    silent.push_back(from(*server, 1));
    REQUIRE(silent.back().send(upload("/", 8U << 20U)));
  }
  check_taken(from(*server, 1), upload("/", kBody.size()) + kBody, "90000");
  check_taken(from(*server, 2), upload("/", 8U << 20U) + std::string(8U << 20U, 'x'), std::to_string(8U << 20U));
  check_taken(from(*server, 1), chunked("/trusted/estimates", kBody), "90000");
  CHECK(eventually([&] { return server->counters().buffered_body_bytes == 0; }));
  CHECK(eventually([&] { return server->counters().memory_pressure == 0; }));
  CHECK(server->counters().requests_refused == 0);
}

TEST_CASE("bodies count as they arrive, until they are answered or their client has gone") {
  for (const Tls tls : {Tls::kOff, Tls::kOnly12, Tls::kOnly13}) {
    MemoryFixture test(tls);
    TestClient client = from(*test.server, 1, tls);
    REQUIRE(client.send(upload("/1", 80'000) + std::string(30'000, 'x')));
    REQUIRE(eventually([&] { return test.held() == 30'000; }));
    REQUIRE(client.send(std::string(30'000, 'x')));
    REQUIRE(eventually([&] { return test.held() == 60'000; }));
    REQUIRE(client.send(std::string(20'000, 'x')));
    CHECK(client.read()->body == "80000");
    CHECK(eventually([&] { return test.held() == 0; }));
    REQUIRE(client.send(chunked("/2", kBody).substr(0, 40'000)));
    REQUIRE(eventually([&] { return test.held() > 39'000; }));
    client.reset();
    CHECK(eventually([&] { return test.held() == 0; }));
  }
}

TEST_CASE("one address can use only its own share, and its trusted clients are still served") {
  MemoryFixture test;
  const auto greedy = test.fill(1);
  check_refused(from(*test.server, 1), upload("/", 5'000) + std::string(5'000, 'x'));
  check_refused(from(*test.server, 1), chunked("/", std::string(5'000, 'x')));
  CHECK(test.server->counters().requests_overload_per_address == 2);
  CHECK(test.server->counters().requests_overload == 0);
  const std::string small(4'096, 's');  // a small body needs no room
  check_taken(from(*test.server, 1), upload("/", small.size()) + small, "4096");
  check_taken(from(*test.server, 1), chunked("/", small), "4096");
  check_taken(from(*test.server, 2), upload("/", kBody.size()) + kBody, "90000");
  check_taken(from(*test.server, 1), upload("/trusted/estimates", kBody.size()) + kBody, "90000");
}

TEST_CASE("if untrusted clients have used their share, trusted clients and small requests are served") {
  MemoryFixture test;
  {
    std::vector<std::vector<TestClient>> greedy;
    for (unsigned host = 1; host <= 6; ++host) greedy.push_back(test.fill(host));
    CHECK(test.server->counters().memory_pressure == 1);
    check_refused(from(*test.server, 7), upload("/", kBody.size()) + kBody);
    CHECK(test.server->counters().requests_overload == 1);
    CHECK(test.server->counters().requests_refused == 1);
    check_taken(from(*test.server, 7), upload("/", 3) + "abc", "3");
    check_taken(from(*test.server, 7), upload("/trusted/tasks", kBody.size()) + kBody, "90000");
  }
  REQUIRE(eventually([&] { return test.held() == 0; }));
  check_taken(from(*test.server, 7), upload("/", kBody.size()) + kBody, "90000");
}

TEST_CASE("answers count until they are read, and beyond the limit a request is refused before it is handled") {
  const std::string get = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string trusted = "GET /trusted/large HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string answer(kLarge, 'l');
  for (const Tls tls : {Tls::kOff, Tls::kOnly13}) {
    MemoryFixture test(tls);
    TestClient slow = from(*test.server, 1, tls);
    REQUIRE(slow.send(get));
    REQUIRE(eventually([&] { return test.server->counters().buffered_answer_bytes == kLarge; }));
    CHECK(test.server->counters().memory_pressure > 1);
    const int handled = test.handler.handled;
    for (const unsigned host : {1U, 2U}) {
      check_refused(from(*test.server, host, tls), get);
      check_refused(from(*test.server, host, tls), upload("/", 3) + "abc");
    }
    CHECK(test.handler.handled == handled);
    CHECK(test.server->counters().requests_overload + test.server->counters().requests_overload_per_address == 4);
    check_taken(from(*test.server, 1, tls), trusted, answer);
    const auto reply = slow.read();
    REQUIRE(reply);
    CHECK(reply->body == answer);
    CHECK(eventually([&] { return test.server->counters().buffered_answer_bytes == 0; }));
    check_taken(from(*test.server, 1, tls), get, answer);
  }
}

TEST_CASE("an answer that nobody reads counts until its deadline, and a HEAD has no body that counts") {
  MemoryFixture test;
  test.options.write_timeout = std::chrono::milliseconds(100);
  test.server = *HttpServer::start(test.options, test.handler);
  TestClient slow = from(*test.server, 1);
  REQUIRE(slow.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n"));
  REQUIRE(eventually([&] { return test.server->counters().requests == 1; }));
  CHECK(eventually([&] { return test.server->counters().buffered_answer_bytes == 0; }));
  TestClient head = from(*test.server, 1);
  REQUIRE(head.send("HEAD /large HTTP/1.1\r\nHost: a\r\n\r\n"));
  CHECK(head.read(true));
  CHECK(eventually([&] { return test.server->counters().buffered_answer_bytes == 0; }));
}

std::size_t resident_bytes() {
  std::size_t size = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * 4096;
}

TEST_CASE("a shared document is not copied for clients that do not read it, and arrives whole at clients that do") {
  for (const Tls tls : {Tls::kOff, Tls::kOnly13}) {
    MemoryFixture test(tls);
    const std::string get = "GET /shared HTTP/1.1\r\nHost: a\r\n\r\n";
    check_taken(from(*test.server, 1, tls), get, *test.handler.document);
    const std::size_t before = resident_bytes();
    std::vector<TestClient> reading_nothing;
    for (int i = 0; i < 20; ++i) {
      reading_nothing.push_back(from(*test.server, 1, tls));
      REQUIRE(reading_nothing.back().send(get));
    }
    REQUIRE(eventually([&] { return test.handler.handled == 21 && test.handler.document.use_count() > 20; }));
    CHECK(resident_bytes() < before + (32U << 20U));  // copies would need 160 MB
    CHECK(test.server->counters().buffered_answer_bytes == 0);
    CHECK(reading_nothing.front().read()->body == *test.handler.document);
  }
}

TEST_CASE("the memory of a chunked body is free before the client has read the answer") {
  MemoryFixture test;
  TestClient client = from(*test.server, 1);
  REQUIRE(client.send(chunked("/shared", kBody)));
  REQUIRE(eventually([&] { return test.handler.document.use_count() > 1; }));
  CHECK(eventually([&] { return test.held() == 0; }));
  CHECK(test.handler.document.use_count() > 1);
}

TEST_CASE("a head that is larger than the usual buffer counts towards the memory limits") {
  MemoryFixture test;
  TestClient client = from(*test.server, 1);
  REQUIRE(client.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(5'000, 'x')));
  CHECK(eventually([&] { return test.held() == 8'192; }));
  const auto greedy = test.fill(2);
  check_refused(from(*test.server, 2), "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(5'000, 'x'));
  REQUIRE(client.send("\r\n\r\n"));
  CHECK(client.read()->status == 200);
  CHECK(eventually([&] { return test.held() == 100'000; }));
}

}  // namespace
}  // namespace hearsay::http
