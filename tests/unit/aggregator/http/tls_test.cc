#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <atomic>
#include <ctime>
#include <fstream>
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
using Tls = TestClient::Tls;

UnixSeconds now() { return static_cast<UnixSeconds>(std::time(nullptr)); }

HttpServerOptions tls_options(const TestCertificate& certificate) {
  HttpServerOptions options;
  options.tls = certificate.files();
  return options;
}

TEST_CASE("requests are served over TLS 1.3 and 1.2, and older versions are refused") {
  const TestCertificate certificate;
  const auto server = start_server(tls_options(certificate), echo);
  for (const auto& [tls, version] : {std::pair(Tls::kAny, TLS1_3_VERSION), std::pair(Tls::kOnly12, TLS1_2_VERSION)}) {
    TestClient client(server->port(), tls);
    REQUIRE(client.ready());
    CHECK(SSL_version(client.ssl()) == version);
    for (int i = 0; i < 5; ++i) {
      const std::string body(static_cast<std::size_t>(i) * 20'000, 'x');
      REQUIRE(client.send("POST /tls HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
                          "\r\n\r\n" + body));
      const auto reply = client.read();
      REQUIRE(reply);
      CHECK(reply->body == "POST /tls? [] " + body);
      CHECK(reply->field("strict-transport-security") == "max-age=31536000");
    }
  }
  CHECK_FALSE(TestClient(server->port(), Tls::kOnly11).ready());
  CHECK(eventually([&] { return server->counters().handshakes_failed == 1; }));
  CHECK(server->counters().handshakes == 2);
  CHECK(server->counters().requests == 10);
}

TEST_CASE("TLS 1.2 uses forward secrecy and authenticated encryption (AEAD)") {
  const TestCertificate certificate;
  const auto server = start_server(tls_options(certificate), echo);
  TestClient client(server->port(), Tls::kOnly12);
  REQUIRE(client.ready());
  const std::string cipher = SSL_get_cipher_name(client.ssl());
  CHECK(cipher.starts_with("ECDHE-ECDSA-"));
  CHECK((cipher.find("GCM") != std::string::npos || cipher.find("CHACHA20") != std::string::npos));
}

TEST_CASE("over TLS both ends close a connection in order") {
  const TestCertificate certificate;
  const auto server = start_server(tls_options(certificate), echo);
  for (const Tls tls : {Tls::kOnly12, Tls::kOnly13}) {
    TestClient client(server->port(), tls);
    REQUIRE(client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    CHECK(client.read());
    CHECK(client.closed_by_server());  // the server sends a close_notify before the end of the stream
  }
  TestClient leaving(server->port(), Tls::kAny);
  CHECK(leaving.get("/"));
  leaving.finish_sending();
  CHECK(leaving.closed_by_server());
}

TEST_CASE("sessions are resumed with tickets") {
  const TestCertificate certificate;
  const auto server = start_server(tls_options(certificate), echo);
  for (const Tls tls : {Tls::kOnly12, Tls::kOnly13}) {
    TestClient first(server->port(), tls);
    REQUIRE(first.get("/"));  // this also reads the ticket of TLS 1.3
    SSL_SESSION* session = SSL_get1_session(first.ssl());
    TestClient second(server->port(), tls, session);
    SSL_SESSION_free(session);
    REQUIRE(second.ready());
    CHECK(SSL_session_reused(second.ssl()) == 1);
    CHECK(second.get("/"));
  }
}

void trust(const HttpServerOptions& options, const TestCertificate& authority) {
  std::filesystem::copy_file(authority.files().certificate, options.tls->client_ca,
                             std::filesystem::copy_options::overwrite_existing);
}

HttpServerOptions client_options(const TestCertificate& certificate) {
  HttpServerOptions options = tls_options(certificate);
  options.tls->client_ca = certificate.directory() / "authorities.pem";
  return options;
}

using Session = std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)>;

TEST_CASE(
    "no session is resumed if clients show certificates, since a session could outlive the client's certificate") {
  const TestCertificate certificate;
  TestCertificate before(2);
  const TestCertificate after(3);
  const HttpServerOptions options = client_options(certificate);
  trust(options, before);
  const auto versions = {Tls::kOnly12, Tls::kOnly13};
  std::optional<TestServer> server;
  std::vector<TestClient> first;
  std::vector<Session> sessions;
  // Sends requests while the client's certificate is valid. On a busy machine, tries again with twice the time.
  for (long lifetime = 2;; lifetime *= 2) {
    REQUIRE(lifetime < tests::kPatience.count());
    first.clear();
    sessions.clear();
    const auto expires = std::time(nullptr) + lifetime;
    before.renew(2, lifetime);
    trust(options, before);
    server.emplace(start_server(options, echo));
    bool served = true;
    for (const Tls tls : versions) {
      served &= first.emplace_back((*server)->port(), tls, nullptr, before.files()).get("/").has_value();
      sessions.emplace_back(SSL_get1_session(first.back().ssl()), SSL_SESSION_free);
      if (!served) break;
      CHECK(SSL_SESSION_has_ticket(sessions.back().get()) == 0);
      TestClient again((*server)->port(), tls, sessions.back().get(), before.files());
      served &= again.get("/").has_value();
      CHECK(SSL_session_reused(again.ssl()) == 0);
      again.finish_sending();  // after any other end of the connection the session could not be used
      CHECK_FALSE(TestClient((*server)->port(), tls, sessions.back().get()).get("/"));
    }
    if (std::time(nullptr) >= expires) continue;
    CHECK(served);
    break;
  }
  const std::uint16_t port = (*server)->port();
  REQUIRE(eventually([&] { return !TestClient(port, Tls::kAny, nullptr, before.files()).get("/"); }));
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Tls tls = versions.begin()[i];
    CHECK_FALSE(TestClient(port, tls, sessions[i].get(), before.files()).get("/"));
    // An open connection does not outlive the certificate either.
    const auto reply = first[i].get("/");
    REQUIRE(reply);
    CHECK(reply->status == 403);
    CHECK(first[i].closed_by_server());
  }
  trust(options, after);
  REQUIRE((*server)->reload_certificate(now()));
  for (std::size_t i = 0; i < versions.size(); ++i) {
    CHECK(TestClient(port, versions.begin()[i], sessions[i].get(), after.files()).get("/"));
  }
}

TEST_CASE("a connection whose client was checked before the last reload ends with its next answer") {
  const TestCertificate certificate;
  const TestCertificate client(2);
  const HttpServerOptions options = client_options(certificate);
  trust(options, client);
  const auto server = start_server(options, echo);
  TestClient first(server->port(), Tls::kAny, nullptr, client.files());
  REQUIRE(first.get("/")->field("connection").empty());
  trust(options, TestCertificate(3));
  REQUIRE(server->reload_certificate(now()));
  const auto last = first.get("/");
  REQUIRE(last);
  CHECK(last->field("connection") == "close");
  CHECK(first.closed_by_server());
  CHECK_FALSE(TestClient(server->port(), Tls::kAny, nullptr, client.files()).get("/"));
}

TEST_CASE("failed handshakes are counted and do not harm the server") {
  const TestCertificate certificate;
  const auto server = start_server(tls_options(certificate), echo);
  TestClient good(server->port(), Tls::kAny);
  REQUIRE(good.get("/"));
  {
    TestClient plain(server->port());
    plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK_FALSE(plain.read());
    TestClient garbage(server->port());
    garbage.send(std::string("\x16\x03\x01\xff\xff", 5) + std::string(100, '\0'));
    CHECK_FALSE(garbage.read());
    TestClient leaving(server->port());
  }
  CHECK(eventually([&] { return server->counters().handshakes_failed == 3; }));
  CHECK(server->counters().handshakes == 1);
  CHECK(server->counters().requests_refused == 0);
  CHECK(good.get("/still"));
  CHECK(server->counters().connections_open == 1);

  HttpServerOptions options = tls_options(certificate);
  options.handshake_timeout = milliseconds(80);
  const auto impatient = start_server(options, echo);
  TestClient silent(impatient->port());
  CHECK(silent.closed_by_server());
  CHECK(eventually([&] { return impatient->counters().handshakes_failed == 1; }));
}

TEST_CASE("malformed and slow requests over TLS also get an answer") {
  const TestCertificate certificate;
  HttpServerOptions options = tls_options(certificate);
  options.header_timeout = options.body_timeout = milliseconds(60);
  const auto server = start_server(options, echo);
  TestClient malformed(server->port(), Tls::kAny);
  REQUIRE(malformed.send("GET / HTTP/1.1\nHost: a\n\n"));
  auto reply = malformed.read();
  REQUIRE(reply);
  CHECK(reply->status == 400);
  CHECK(malformed.closed_by_server());
  TestClient slow(server->port(), Tls::kAny);
  REQUIRE(slow.send("GET / HT"));
  reply = slow.read();
  REQUIRE(reply);
  CHECK(reply->status == 408);
  CHECK(slow.closed_by_server());
}

TEST_CASE("two threads serve many TLS clients at once") {
  const TestCertificate certificate;
  HttpServerOptions options = tls_options(certificate);
  options.threads = 2;
  const auto server = start_server(options, echo);
  constexpr int kClients = 12;
  constexpr int kRequests = 20;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int c = 0; c < kClients; ++c) {
    threads.emplace_back([&] {
      TestClient client(server->port(), Tls::kAny);
      for (int r = 0; r < kRequests; ++r) {
        const auto reply = client.get("/" + std::to_string(r));
        if (reply && reply->body == "GET /" + std::to_string(r) + "? [] ") ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == kClients * kRequests);
  CHECK(server->counters().handshakes == kClients);
  CHECK(server->counters().handshakes_failed == 0);
}

TEST_CASE("after a reload new connections get the new certificate, and old connections go on") {
  TestCertificate certificate(1);
  const auto server = start_server(tls_options(certificate), echo);
  TestClient old(server->port(), Tls::kAny);
  REQUIRE(old.get("/"));
  CHECK(peer_serial(old.ssl()) == 1);

  certificate.renew(2);
  TestClient before(server->port(), Tls::kAny);
  CHECK(peer_serial(before.ssl()) == 1);
  REQUIRE(server->reload_certificate(now()));
  TestClient after(server->port(), Tls::kAny);
  CHECK(peer_serial(after.ssl()) == 2);
  CHECK(after.get("/"));
  CHECK(old.get("/"));

  std::ofstream(certificate.files().private_key) << "no key";
  const auto broken = server->reload_certificate(now());
  REQUIRE_FALSE(broken);
  CHECK(broken.error().code == ErrorCode::kIo);
  CHECK(broken.error().message.find(certificate.files().private_key) != std::string::npos);
  TestClient still(server->port(), Tls::kAny);
  CHECK(peer_serial(still.ssl()) == 2);
}

TEST_CASE("while the certificate changes again and again, no request fails") {
  TestCertificate certificate(1);
  HttpServerOptions options = tls_options(certificate);
  options.threads = 2;
  const auto server = start_server(options, echo);
  std::atomic<bool> enough = false;
  std::atomic<int> answered = 0;
  std::atomic<int> failed = 0;
  std::vector<std::thread> clients;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&] {
      while (!enough) {  // a new connection for every few requests
        TestClient client(server->port(), Tls::kAny);
        for (int i = 0; i < 5; ++i) ++(client.get("/") ? answered : failed);
      }
    });
  }
  for (long serial = 2; serial < 20; ++serial) {
    certificate.renew(serial);
    CHECK(server->reload_certificate(now()));
    const int before = answered;
    CHECK(eventually([&] { return answered > before + 20; }));
  }
  enough = true;
  for (auto& client : clients) client.join();
  CHECK(failed == 0);
  CHECK(server->counters().handshakes_failed == 0);
  CHECK(peer_serial(TestClient(server->port(), Tls::kAny).ssl()) == 19);
}

TEST_CASE("ALPN selects http/1.1 and refuses other protocols") {
  const TestCertificate certificate;
  const auto server = start_server(tls_options(certificate), echo);
  const auto negotiate = [&](std::string offer) {
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(offer.data()),
                            static_cast<unsigned>(offer.size()));
    BIO* connection = BIO_new_ssl_connect(context);
    BIO_set_conn_hostname(connection, ("127.0.0.1:" + std::to_string(server->port())).c_str());
    std::string chosen = "failed";
    if (BIO_do_handshake(connection) == 1) {
      SSL* ssl = nullptr;
      BIO_get_ssl(connection, &ssl);
      const unsigned char* data = nullptr;
      unsigned size = 0;
      SSL_get0_alpn_selected(ssl, &data, &size);
      chosen.assign(data, data + size);
    }
    BIO_free_all(connection);
    SSL_CTX_free(context);
    return chosen;
  };
  CHECK(negotiate("\x02h2\x08http/1.1") == "http/1.1");
  CHECK(negotiate("\x02h2") == "failed");
}

}  // namespace
}  // namespace hearsay::http
