#include <doctest/doctest.h>

#include <mutex>
#include <thread>

#include "hearsay/transport.h"
#include "tests/support/patience.h"
#include "tests/support/silent_server.h"
#include "tests/support/tls_server.h"

namespace hearsay::sdk {
namespace {

struct TransportFixture {
  tests::Certificate certificate;
  std::mutex mutex;
  std::vector<std::string> requests;
  tests::TlsServer server{
      certificate, [this](tests::TlsConnection& connection) {
        for (std::string request; !(request = connection.read_request()).empty();) {
          const std::lock_guard lock(mutex);
          requests.push_back(std::move(request));
          connection.write(tests::http_answer("503 Service Unavailable", "body", "Retry-After: 12\r\n"));
        }
      }};
  ServerOptions options{
      .host = "localhost", .port = server.port(), .ca_file = certificate.file(), .timeout = tests::kPatience};
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE_FIXTURE(TransportFixture, "a POST has the token and asks for a minimal answer, but a GET has neither") {
  options.upload_token = "secret";
  const auto transport = make_https_transport(options).value();
  const std::vector<std::uint8_t> body{'a', 'b'};
  const auto posted = transport->post("/reports", "text/plain", body, {tests::kPatience});
  REQUIRE_MESSAGE(posted, posted.error().message);
  CHECK(posted->status == 503);
  CHECK(posted->retry_after == std::chrono::seconds(12));
  CHECK(posted->body == "body");
  REQUIRE(transport->get("/task", {tests::kPatience}));

  REQUIRE(requests.size() == 2);
  CHECK(requests[0].starts_with("POST /reports HTTP/1.1\r\n"));
  CHECK(contains(requests[0], "\r\nAuthorization: Bearer secret\r\n"));
  CHECK(contains(requests[0], "\r\nPrefer: return=minimal\r\n"));
  CHECK(contains(requests[0], "\r\nContent-Type: text/plain\r\n"));
  CHECK(requests[0].ends_with("\r\n\r\nab"));
  CHECK(requests[1].starts_with("GET /task HTTP/1.1\r\n"));
  CHECK(!contains(requests[1], "Authorization"));
  CHECK(!contains(requests[1], "Prefer"));
  CHECK(server.connections() == 1);
}

TEST_CASE_FIXTURE(TransportFixture, "a cancelled exchange sends nothing, and the next exchange works") {
  const auto transport = make_https_transport(options).value();
  Cancellation cancelled;
  cancelled.request();
  CHECK(transport->get("/", {tests::kPatience, &cancelled}).error().code == ErrorCode::kCancelled);
  CHECK(transport->post("/", "text/plain", {}, {tests::kPatience, &cancelled}).error().code == ErrorCode::kCancelled);
  CHECK(server.connections() == 0);
  Cancellation other;
  CHECK(transport->get("/", {tests::kPatience, &other}));
}

TEST_CASE_FIXTURE(TransportFixture, "threads share a transport, and afterwards one connection stays open") {
  const auto transport = make_https_transport(options).value();
  std::atomic<int> answered{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] { answered += transport->get("/", {tests::kPatience}) ? 1 : 0; });
    }
  }
  CHECK(answered == 4);
  const int connections = server.connections();
  CHECK(transport->get("/", {tests::kPatience}));
  CHECK(server.connections() == connections);
}

// The server accepts connections and sends nothing, so an exchange hangs in the handshake.
TEST_CASE("an exchange with a server that never answers ends with its timeout or its cancellation") {
  const tests::SilentServer silent;
  const auto transport =
      make_https_transport({.host = "127.0.0.1", .port = silent.port(), .timeout = tests::kPatience}).value();
  CHECK(transport->get("/", {std::chrono::milliseconds(100)}).error().code == ErrorCode::kTimedOut);
  Cancellation cancellation;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancellation.request();
  });
  CHECK(transport->get("/", {tests::kPatience, &cancellation}).error().code == ErrorCode::kCancelled);
}

TEST_CASE_FIXTURE(TransportFixture, "options that make no sense are refused") {
  const auto code = [&](auto change) {
    ServerOptions changed = options;
    change(changed);
    const auto made = make_https_transport(changed);
    return made ? ErrorCode::kInternal : made.error().code;
  };
  using namespace std::string_literals;
  for (const std::string& host : {""s, "user@localhost"s, "localhost/path"s, "localhost?x"s, "localhost#x"s, "[::1]"s,
                                  "two words"s, "localhost\0.example"s, "localhost\n"s, "local\thost"s}) {
    CAPTURE(host);
    CHECK(code([&](ServerOptions& changed) { changed.host = host; }) == ErrorCode::kInvalidArgument);
  }
  CHECK(code([](ServerOptions& changed) { changed.port = 0; }) == ErrorCode::kInvalidArgument);
  CHECK(code([](ServerOptions& changed) { changed.timeout = {}; }) == ErrorCode::kInvalidArgument);
  CHECK(code([](ServerOptions& changed) { changed.upload_token = "a\r\nb"; }) == ErrorCode::kInvalidArgument);
  CHECK(code([](ServerOptions& changed) { changed.client_key = "key.pem"; }) == ErrorCode::kInvalidArgument);
  CHECK(code([](ServerOptions& changed) { changed.ca_file = "/nonexistent"; }) == ErrorCode::kIo);
}

TEST_CASE_FIXTURE(TransportFixture,
                  "an encrypted client key is refused before anything is sent, and the error names the file") {
  options.client_certificate = certificate.file();
  options.client_key = certificate.encrypted_key_file("secret");
  const auto made = make_https_transport(options);
  REQUIRE(!made);
  CHECK(made.error().code == ErrorCode::kIo);
  CHECK(made.error().message.find("'" + options.client_key + "': the key is encrypted") != std::string::npos);
}

}  // namespace
}  // namespace hearsay::sdk
