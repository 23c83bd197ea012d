#include <doctest/doctest.h>

#include <mutex>

#include "hearsay/transport.h"
#include "tests/support/patience.h"
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

TEST_CASE_FIXTURE(TransportFixture, "posts carry the token and ask for little; gets carry neither") {
  options.upload_token = "secret";
  const auto transport = make_https_transport(options).value();
  const std::vector<std::uint8_t> body{'a', 'b'};
  const auto posted = transport->post("/reports", "text/plain", body);
  REQUIRE_MESSAGE(posted, posted.error().message);
  CHECK(posted->status == 503);
  CHECK(posted->retry_after == std::chrono::seconds(12));
  CHECK(posted->body == "body");
  REQUIRE(transport->get("/task"));

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

TEST_CASE_FIXTURE(TransportFixture, "after cancel() every exchange is refused") {
  const auto transport = make_https_transport(options).value();
  transport->cancel();
  CHECK(transport->get("/").error().code == ErrorCode::kCancelled);
  CHECK(transport->post("/", "text/plain", {}).error().code == ErrorCode::kCancelled);
  CHECK(server.connections() == 0);
}

TEST_CASE_FIXTURE(TransportFixture, "options that make no sense are refused") {
  const auto code = [&](auto change) {
    ServerOptions changed = options;
    change(changed);
    const auto made = make_https_transport(changed);
    return made ? ErrorCode::kInternal : made.error().code;
  };
  for (const char* host :
       {"", "user@localhost", "localhost/path", "localhost?x", "localhost#x", "[::1]", "two words"}) {
    CAPTURE(host);
    CHECK(code([&](ServerOptions& changed) { changed.host = host; }) == ErrorCode::kInvalidArgument);
  }
  CHECK(code([](ServerOptions& changed) { changed.port = 0; }) == ErrorCode::kInvalidArgument);
  CHECK(code([](ServerOptions& changed) { changed.timeout = {}; }) == ErrorCode::kInvalidArgument);
  CHECK(code([](ServerOptions& changed) { changed.upload_token = "a\r\nb"; }) == ErrorCode::kInvalidArgument);
  CHECK(code([](ServerOptions& changed) { changed.client_key = "key.pem"; }) == ErrorCode::kInvalidArgument);
  CHECK(code([](ServerOptions& changed) { changed.ca_file = "/nonexistent"; }) == ErrorCode::kIo);
}

TEST_CASE_FIXTURE(TransportFixture, "an encrypted client key is refused by name before anything is sent") {
  options.client_certificate = certificate.file();
  options.client_key = certificate.encrypted_key_file("secret");
  const auto made = make_https_transport(options);
  REQUIRE(!made);
  CHECK(made.error().code == ErrorCode::kIo);
  CHECK(made.error().message.find("'" + options.client_key + "': the key is encrypted") != std::string::npos);
}

}  // namespace
}  // namespace hearsay::sdk
