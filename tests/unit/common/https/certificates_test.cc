// Tests which servers the client trusts, and the errors for other servers.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "common/https/client.h"
#include "tests/support/tls_server.h"
#include "tests/unit/common/https/plain_exchange.h"

namespace hearsay::https {
namespace {

using tests::Certificate;
using tests::TlsServer;

std::string url_of(const TlsServer& server) { return "https://localhost:" + std::to_string(server.port()); }

TEST_CASE("the error about an untrusted certificate says why") {
  const Certificate good;
  const Certificate stranger;
  const Certificate expired("localhost", -60);
  const Certificate misnamed("elsewhere.test");
  struct Case {
    const Certificate& shown;
    const Certificate& trusted;
    const char* reason;
  };
  for (const Case& sample :
       {Case{stranger, good, "self-signed certificate"}, Case{expired, expired, "certificate has expired"},
        Case{misnamed, misnamed, "does not match|no alternative certificate subject name"}}) {
    CAPTURE(sample.reason);
    const TlsServer server(sample.shown, answer_all);
    const auto answer =
        Client::create({.url = url_of(server), .ca_file = sample.trusted.file()}).value()->exchange(kGet);
    REQUIRE(!answer);
    CAPTURE(answer.error().message);
    CHECK(answer.error().code == ErrorCode::kTlsFailed);
    const std::string reason = sample.reason;
    const std::size_t bar = reason.find('|');
    CHECK((answer.error().message.find(reason.substr(0, bar)) != std::string::npos ||
           (bar != std::string::npos && answer.error().message.find(reason.substr(bar + 1)) != std::string::npos)));
  }
  // Without a file the client trusts the system's authorities, which did not sign this certificate.
  const TlsServer server(good, answer_all);
  CHECK(Client::create({.url = url_of(server)}).value()->exchange(kGet).error().code == ErrorCode::kTlsFailed);
  CHECK(Client::create({.url = url_of(server), .ca_file = good.file()}).value()->exchange(kGet));
}

TEST_CASE("if the server asks for a certificate, the client shows its certificate") {
  const Certificate servers;
  const Certificate clients;
  const Certificate stranger;
  const TlsServer server(servers, answer_all, {.client_ca = clients.file()});
  const auto exchange = [&](const std::string& certificate, const std::string& key) {
    const auto client = Client::create(
        {.url = url_of(server), .ca_file = servers.file(), .certificate = certificate, .private_key = key});
    return client ? (*client)->exchange(kGet) : client.error();
  };
  const auto shown = exchange(clients.file(), clients.key_file());
  CHECK_MESSAGE(shown, shown.error().message);
  CHECK(exchange("", "").error().code == ErrorCode::kConnectionFailed);
  CHECK(exchange(stranger.file(), stranger.key_file()).error().code == ErrorCode::kConnectionFailed);
  CHECK(exchange(clients.file(), stranger.key_file()).error().code == ErrorCode::kIo);
}

TEST_CASE("an encrypted key is refused, and nobody is asked for its passphrase") {
  const Certificate certificate;
  const TlsServer server(certificate, answer_all, {.client_ca = certificate.file()});
  // Without a terminal, OpenSSL would read the passphrase from the standard input.
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const std::string typed = "the passphrase\n";
  REQUIRE(::write(ends[1], typed.data(), typed.size()) == static_cast<ssize_t>(typed.size()));
  ::close(ends[1]);
  const int standard_input = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  const auto made = Client::create({.url = url_of(server),
                                    .ca_file = certificate.file(),
                                    .certificate = certificate.file(),
                                    .private_key = certificate.encrypted_key_file("the passphrase")});
  // The file of the key is encrypted only after the client exists.
  const auto client = Client::create({.url = url_of(server),
                                      .ca_file = certificate.file(),
                                      .certificate = certificate.file(),
                                      .private_key = certificate.key_file()});
  std::filesystem::rename(certificate.encrypted_key_file("the passphrase"), certificate.key_file());
  const auto answer = client.value()->exchange(kGet);
  ::dup2(standard_input, STDIN_FILENO);
  ::close(standard_input);
  REQUIRE(!made);
  CHECK(made.error().code == ErrorCode::kIo);
  CHECK(made.error().message.find("the key is encrypted") != std::string::npos);
  REQUIRE(!answer);
  CHECK(answer.error().code == ErrorCode::kIo);
  char left[64];
  CHECK(::read(ends[0], left, sizeof left) == static_cast<ssize_t>(typed.size()));
  ::close(ends[0]);
}

TEST_CASE("the client refuses files that are missing or have no certificate") {
  const Certificate certificate;
  for (const auto member : {&Server::ca_file, &Server::certificate, &Server::private_key}) {
    Server options{.url = "https://localhost:1",
                   .ca_file = certificate.file(),
                   .certificate = certificate.file(),
                   .private_key = certificate.key_file()};
    options.*member = "/nonexistent.pem";
    const auto made = Client::create(options);
    REQUIRE(!made);
    CHECK(made.error().code == ErrorCode::kIo);
    CHECK(made.error().message.find("/nonexistent.pem") != std::string::npos);

    const std::string nonsense = certificate.file() + ".nonsense";
    std::ofstream(nonsense) << "nonsense";
    options.*member = nonsense;
    const auto unusable = Client::create(options);
    REQUIRE(!unusable);
    CHECK(unusable.error().code == ErrorCode::kIo);
    CHECK(unusable.error().message.find(nonsense) != std::string::npos);
  }
}

}  // namespace
}  // namespace hearsay::https
