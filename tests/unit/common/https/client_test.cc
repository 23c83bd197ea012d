// Tests exchanges over HTTPS: requests, answers, connections, bounds and deadlines.
#include "common/https/client.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "tests/support/tls_server.h"
#include "tests/unit/common/https/plain_exchange.h"

namespace hearsay::https {
namespace {

using std::chrono::milliseconds;
using tests::http_answer;
using tests::TlsConnection;
using tests::TlsServer;

struct Fixture {
  tests::Certificate certificate;
  milliseconds timeout{600'000};  // longer than any test may take
  std::size_t max_answer_bytes = 8U << 20U;

  std::unique_ptr<Client> client(const TlsServer& server) const {
    return Client::create({.url = "https://localhost:" + std::to_string(server.port()),
                           .ca_file = certificate.file(),
                           .timeout = timeout,
                           .max_answer_bytes = max_answer_bytes})
        .value();
  }
};

struct Recorder {
  std::function<std::string(const std::string&)> answer = [](const std::string&) { return http_answer("200 OK", "!"); };
  std::mutex mutex{};
  std::vector<std::string> requests{};

  TlsServer::Script script() {
    return [this](TlsConnection& connection) {
      for (std::string request; !(request = connection.read_request()).empty();) {
        const std::string reply = answer(request);
        {
          const std::lock_guard lock(mutex);
          requests.push_back(std::move(request));
        }
        if (!connection.write(reply)) return;
      }
    };
  }
};

TEST_CASE_FIXTURE(Fixture, "text that would change the path or add a header is refused, and nothing is sent") {
  Recorder recorder;
  const TlsServer server(certificate, recorder.script());
  const auto client = this->client(server);
  for (const std::string path : {"/v1/tasks/../status", "/..", "/a/./b", "/a/..?x", "a b", "v1", "/a\r\nX-A: 1", "/a#b",
                                 "/a b", "/a\\b", "/\xC3\xA9", "?x"}) {
    CAPTURE(path);
    CHECK(client->exchange({.method = "GET", .path = path, .headers = {}, .body = {}}).error().code ==
          ErrorCode::kInvalidArgument);
  }
  for (const std::string value : {"secret\r\nX-A: 1", "secret\n", "\rsecret", "secret\x7f"}) {
    const auto answer =
        client->exchange({.method = "GET", .path = "/", .headers = {"Authorization: Bearer " + value}, .body = {}});
    CHECK(answer.error().code == ErrorCode::kInvalidArgument);
    CHECK(answer.error().message.find("the header Authorization holds") == 0);
    CHECK(answer.error().message.find("secret") == std::string::npos);
  }
  const std::string null_byte("A: b\0c", 6);
  CHECK(!client->exchange({.method = "GET", .path = "/", .headers = {null_byte}, .body = {}}));
  REQUIRE(client->exchange({.method = "GET", .path = "/..a/b..?c=../d", .headers = {"A: b\tc"}, .body = {}}));
  const std::lock_guard lock(recorder.mutex);
  REQUIRE(recorder.requests.size() == 1);
  CHECK(recorder.requests[0].starts_with("GET /..a/b..?c=../d HTTP/1.1\r\n"));
}

TEST_CASE("the URL of a server must be https, without query, fragment, user or password") {
  for (const char* url : {"https://host?x", "https://host#x", "https://me:word@host", "https://me@host",
                          "https://host\n", "http://host", "host:80 x", "", "https://"}) {
    CAPTURE(url);
    const auto client = Client::create({.url = url});
    REQUIRE(!client);
    CHECK(client.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE_FIXTURE(Fixture, "a request is sent unchanged, over one connection") {
  Recorder recorder;
  const TlsServer server(certificate, recorder.script());
  const auto client = this->client(server);
  const std::vector<std::uint8_t> body(3U << 20U, 'b');  // for large bodies libcurl would send "Expect:"
  const auto answer = client->exchange(
      {.method = "POST", .path = "/p?q=1", .headers = {"Content-Type: text/plain"}, .body = std::span(body)});
  REQUIRE_MESSAGE(answer, answer.error().message);
  CHECK(answer->status == 200);
  CHECK(answer->body == "!");
  CHECK(!answer->retry_after);
  REQUIRE(client->exchange(kGet));
  REQUIRE(client->exchange({.method = "DELETE", .path = "", .headers = {}, .body = {}}));
  REQUIRE(client->exchange({.method = "POST", .path = "/", .headers = {}, .body = std::span<const std::uint8_t>()}));

  const std::string host = "Host: localhost:" + std::to_string(server.port()) + "\r\n";
  REQUIRE(recorder.requests.size() == 4);
  CHECK(recorder.requests[0].substr(0, recorder.requests[0].find("\r\n\r\n")) ==
        "POST /p?q=1 HTTP/1.1\r\n" + host + "Accept: */*\r\nContent-Type: text/plain\r\nContent-Length: 3145728");
  CHECK(bool(recorder.requests[0].ends_with(std::string(body.begin(), body.end()))));
  CHECK(recorder.requests[1] == "GET /path HTTP/1.1\r\n" + host + "Accept: */*\r\n\r\n");
  CHECK(recorder.requests[2].starts_with("DELETE / HTTP/1.1\r\n"));
  CHECK(recorder.requests[3].find("Content-Length: 0\r\n") != std::string::npos);
  CHECK(server.connections() == 1);
}

TEST_CASE_FIXTURE(Fixture, "if the server has closed the idle connection, the request is sent again") {
  for (const bool with_reset : {false, true}) {
    CAPTURE(with_reset);
    const TlsServer server(certificate, [&](TlsConnection& connection) {
      if (connection.read_request().empty()) return;
      connection.write(http_answer("200 OK", ""));
      if (!with_reset) return;
      connection.wait();  // returns when the client uses the connection again
      connection.reset();
    });
    const auto client = this->client(server);
    const std::vector<std::uint8_t> body(4U << 20U, 'b');  // more bytes than the kernel buffers
    for (int i = 1; i <= 3; ++i) {
      CAPTURE(i);
      const auto answer = client->exchange({.method = "POST", .path = "/", .headers = {}, .body = std::span(body)});
      REQUIRE_MESSAGE(answer, answer.error().message);
      CHECK(server.connections() == i);
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "answers of status 1xx are skipped, and so are their headers") {
  Recorder recorder;
  recorder.answer = [](const std::string&) {
    return "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n" +
           http_answer("503 Service Unavailable", "later", "Retry-After: 7\r\n");
  };
  const TlsServer server(certificate, recorder.script());
  const auto client = this->client(server);
  for (int i = 0; i < 2; ++i) {
    const auto answer = client->exchange(kGet);
    REQUIRE_MESSAGE(answer, answer.error().message);
    CHECK(answer->status == 503);
    CHECK(answer->body == "later");
    CHECK(answer->retry_after == std::chrono::seconds(7));
  }
  recorder.answer = [](const std::string&) {
    return "HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n" + http_answer("503 Service Unavailable", "");
  };
  CHECK(!client->exchange(kGet)->retry_after);
}

TEST_CASE_FIXTURE(Fixture, "a redirect is an answer like any other") {
  Recorder recorder;
  recorder.answer = [](const std::string&) { return http_answer("302 Found", "", "Location: /elsewhere\r\n"); };
  const TlsServer server(certificate, recorder.script());
  const auto answer = client(server)->exchange(kGet);
  REQUIRE(answer);
  CHECK(answer->status == 302);
  CHECK(recorder.requests.size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "only https URLs are taken") {
  for (const char* url : {"http://localhost:1", "ftp://localhost", "localhost", "", "https://", "file:///etc/passwd"}) {
    CAPTURE(url);
    const auto made = Client::create({.url = url});
    REQUIRE(!made);
    CHECK(made.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE_FIXTURE(Fixture, "no proxy from the environment is used") {
  Recorder recorder;
  const TlsServer server(certificate, recorder.script());
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy"}) setenv(name, "http://127.0.0.1:1", 1);
  const auto answer = client(server)->exchange(kGet);
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy"}) unsetenv(name);
  CHECK_MESSAGE(answer, answer.error().message);
}

TEST_CASE_FIXTURE(Fixture, "an answer is bounded, however its length is stated and whichever part is long") {
  const std::string chunk = "400\r\n" + std::string(1024, 'c') + "\r\n";
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string hint = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  max_answer_bytes = 100'000;
  std::string beginning;
  std::string repeated;
  SUBCASE("chunks without end") { beginning = chunked, repeated = chunk; }
  SUBCASE("headers without end") { beginning = "HTTP/1.1 200 OK\r\n", repeated = "Header: value\r\n"; }
  SUBCASE("1xx answers without end") { repeated = hint; }
  SUBCASE("trailers without end") { beginning = chunked + chunk + "0\r\n", repeated = "Trailer: value\r\n"; }
  SUBCASE("a body without a length") { beginning = "HTTP/1.1 200 OK\r\n\r\n", repeated = chunk; }
  const TlsServer server(certificate, [&](TlsConnection& connection) {
    connection.read_request();
    if (!beginning.empty() && !connection.write(beginning)) return;
    while (connection.write(repeated)) continue;
  });
  const auto answer = client(server)->exchange(kGet);
  REQUIRE(!answer);
  CAPTURE(answer.error().message);
  CHECK(answer.error().code == ErrorCode::kConnectionFailed);
  CHECK(answer.error().message.find("100000 bytes") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "the bound on an answer is exact") {
  const std::string whole = http_answer("200 OK", std::string(5000, 'b'));
  for (const std::size_t limit : {whole.size() - 1, whole.size()}) {
    max_answer_bytes = limit;
    Recorder recorder;
    recorder.answer = [&](const std::string&) { return whole; };
    const TlsServer server(certificate, recorder.script());
    CHECK(bool(client(server)->exchange(kGet)) == (limit == whole.size()));
  }
}

TEST_CASE_FIXTURE(Fixture, "the deadline holds for the whole exchange, also while bytes arrive") {
  timeout = milliseconds(300);
  std::string beginning;
  SUBCASE("silence") {}
  SUBCASE("half an answer") { beginning = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal"; }
  SUBCASE("a byte now and then") { beginning = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"; }
  const bool drops = beginning.ends_with("chunked\r\n\r\n");
  const TlsServer server(certificate, [&](TlsConnection& connection) {
    connection.read_request();
    if (!beginning.empty()) connection.write(beginning);
    while (drops && connection.write("1\r\nx\r\n")) std::this_thread::sleep_for(milliseconds(20));
    connection.read_request();  // returns when the client disconnects
  });
  const auto answer = client(server)->exchange(kGet);
  REQUIRE(!answer);
  CHECK(answer.error().code == ErrorCode::kTimedOut);
}

TEST_CASE_FIXTURE(Fixture, "another thread cancels an exchange at once, and no other exchange") {
  std::atomic<bool> asked{false};
  const TlsServer server(certificate, [&](TlsConnection& connection) {
    connection.read_request();
    asked = true;
    connection.read_request();  // the server does not answer
  });
  // The pause is longer than the timers that libcurl sets when it connects. After the pause, a wait that is not woken
  // lasts a minute. The fastest of several cancellations must take less than half a minute.
  auto quickest = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 3; ++i) {
    const auto client = this->client(server);
    asked = false;
    Cancellation cancellation;
    Request request = kGet;
    request.cancellation = &cancellation;
    std::chrono::steady_clock::time_point cancelled;
    std::jthread canceller([&] {
      while (!asked) std::this_thread::sleep_for(milliseconds(1));
      std::this_thread::sleep_for(milliseconds(500));
      cancelled = std::chrono::steady_clock::now();
      cancellation.request();
    });
    const auto answer = client->exchange(request);
    const auto returned = std::chrono::steady_clock::now();
    canceller.join();
    REQUIRE(!answer);
    CHECK(answer.error().code == ErrorCode::kCancelled);
    quickest = std::min(quickest, returned - cancelled);
    const int connections = server.connections();
    CHECK(client->exchange(request).error().code == ErrorCode::kCancelled);
    CHECK(server.connections() == connections);
  }
  CHECK(quickest < std::chrono::seconds(30));
}

TEST_CASE_FIXTURE(Fixture, "the client can be used after an exchange that was cancelled or out of time") {
  std::atomic<bool> silent{true};
  const TlsServer server(certificate, [&](TlsConnection& connection) {
    while (!connection.read_request().empty()) {
      if (silent.exchange(false)) return static_cast<void>(connection.read_request());
      connection.write(http_answer("200 OK", ""));
    }
  });
  const auto client = this->client(server);
  Request request = kGet;
  SUBCASE("out of its own time, which is shorter than the client's") {
    request.timeout = milliseconds(300);
    CHECK(client->exchange(request).error().code == ErrorCode::kTimedOut);
  }
  SUBCASE("cancelled") {
    Cancellation cancellation;
    request.cancellation = &cancellation;
    std::jthread canceller([&] {
      while (silent) std::this_thread::sleep_for(milliseconds(1));
      cancellation.request();
    });
    CHECK(client->exchange(request).error().code == ErrorCode::kCancelled);
  }
  CHECK(client->exchange(kGet));
}

TEST_CASE_FIXTURE(Fixture, "Retry-After is read as seconds, or as a date minus the server's Date") {
  struct Case {
    std::string headers;
    std::optional<UnixSeconds> date;
    std::optional<std::chrono::seconds> retry_after;
  };
  const std::string date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
  constexpr UnixSeconds kDate = 784'111'777;
  using std::chrono::seconds;
  for (const Case& sample : {Case{"", {}, {}},
                             {date, kDate, {}},
                             {"Date: yesterday\r\n", {}, {}},
                             {date + "Retry-After: 0\r\n", kDate, seconds(0)},
                             {date + "Retry-After: Sun, 06 Nov 1994 08:50:00 GMT\r\n", kDate, seconds(23)},
                             {date + "Retry-After: Sun, 06 Nov 1994 08:49:00 GMT\r\n", kDate, seconds(0)},
                             {"Retry-After: Sun, 06 Nov 1994 08:50:00 GMT\r\n", {}, {}},
                             {"Retry-After: 99999999999999999999\r\n", {}, seconds(0xffffffff)},
                             {"Retry-After: -1\r\n", {}, {}},
                             {"Retry-After: 5 or so\r\n", {}, {}},
                             {"Retry-After:\r\n", {}, {}}}) {
    CAPTURE(sample.headers);
    Recorder recorder;
    recorder.answer = [&](const std::string&) { return http_answer("200 OK", "", sample.headers); };
    const TlsServer server(certificate, recorder.script());
    const auto answer = client(server)->exchange(kGet);
    REQUIRE_MESSAGE(answer, answer.error().message);
    CHECK(answer->date == sample.date);
    CHECK(answer->retry_after == sample.retry_after);
  }
}

}  // namespace
}  // namespace hearsay::https
