// Tests how a name becomes a connection: addresses, failed look-ups and hanging look-ups.
#include <doctest/doctest.h>

#include <thread>

#include "common/https/client.h"
#include "common/https/hanging_lookups.h"
#include "tests/support/tls_server.h"
#include "tests/unit/common/https/plain_exchange.h"
#include "tests/unit/common/https/resolver.h"

namespace hearsay::https {
namespace {

using std::chrono::milliseconds;
using tests::TlsServer;

constexpr milliseconds kLong{600'000};  // longer than any test may take

std::unique_ptr<Client> client(const std::string& host, const TlsServer& server, const tests::Certificate& certificate,
                               milliseconds timeout = kLong) {
  return Client::create({.url = "https://" + host + ":" + std::to_string(server.port()),
                         .ca_file = certificate.file(),
                         .timeout = timeout})
      .value();
}

TEST_CASE("if a name has addresses of both families, the client finds the address where a server listens") {
  const tests::Certificate certificate("several.test");
  const std::vector<std::vector<std::string>> orders{
      {"::1", "127.0.0.1"}, {"127.0.0.1", "::1"}, {"127.0.0.2", "127.0.0.3", "127.0.0.1", "::1"}};
  for (const char* listening : {"::1", "127.0.0.1"}) {
    const TlsServer server(certificate, answer_all, {.address = listening});
    for (const auto& order : orders) {
      CAPTURE(listening);
      CAPTURE(order.size());
      tests::set_addresses("several.test", order);
      const auto answer = client("several.test", server, certificate)->exchange(kGet);
      CHECK_MESSAGE(answer, answer.error().message);
    }
  }
}

TEST_CASE("a literal address of either family needs no look-up") {
  // The certificate does not name the addresses. The error about the certificate shows that the client has connected.
  const tests::Certificate certificate;
  for (const std::string address : {"::1", "127.0.0.1"}) {
    const TlsServer server(certificate, answer_all, {.address = address});
    const auto answer = client(address == "::1" ? "[::1]" : address, server, certificate)->exchange(kGet);
    REQUIRE(!answer);
    CHECK(answer.error().code == ErrorCode::kTlsFailed);
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("a trailing dot of a name does not matter for the certificate") {
  const tests::Certificate certificate("dotted.test");
  tests::set_addresses("dotted.test.", {"127.0.0.1"});
  tests::set_addresses("dotted.test", {"127.0.0.1"});
  const TlsServer server(certificate, answer_all);
  const auto answer = client("dotted.test.", server, certificate)->exchange(kGet);
  CHECK_MESSAGE(answer, answer.error().message);
}

TEST_CASE("a name without an address and a port without a server are connection failures") {
  const tests::Certificate certificate;
  const TlsServer server(certificate, answer_all);
  tests::set_addresses("closed.test", {"127.0.0.9"});
  for (const char* host : {"nowhere.invalid", "closed.test"}) {
    const auto answer = client(host, server, certificate)->exchange(kGet);
    REQUIRE(!answer);
    CHECK(answer.error().code == ErrorCode::kConnectionFailed);
    CHECK(answer.error().message.find(host) != std::string::npos);
  }
}

void release_all() {
  tests::release();
  while (tests::hanging() > 0) std::this_thread::sleep_for(milliseconds(1));
  while (HangingLookups::of_process().size() > 0) {
    HangingLookups::of_process().sweep();
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST_CASE("the deadline includes a look-up that hangs, and few threads stay behind") {
  const tests::Certificate certificate;
  const TlsServer server(certificate, answer_all);
  const auto connected = client("localhost", server, certificate);
  REQUIRE(connected->exchange(kGet));
  tests::hang("hanging.test");
  const int most = static_cast<int>(HangingLookups::kMax);
  const auto one = client("hanging.test", server, certificate, milliseconds(50));
  for (int i = 0; i < 3 * most; ++i) {
    const auto other = client("hanging.test", server, certificate, milliseconds(50));
    const auto answer = (i % 2 == 0 ? one : other)->exchange(kGet);
    REQUIRE(!answer);
    CHECK(answer.error().code == ErrorCode::kTimedOut);
    CHECK(tests::hanging() <= most);
  }
  while (tests::hanging() < most) std::this_thread::sleep_for(milliseconds(1));
  const auto refused = client("hanging.test", server, certificate)->exchange(kGet);
  CHECK(refused.error().message.find("look-ups") != std::string::npos);

  CHECK(connected->exchange(kGet));
  CHECK(client("127.0.0.1", server, certificate)->exchange(kGet).error().code == ErrorCode::kTlsFailed);

  release_all();
  CHECK(client("localhost", server, certificate)->exchange(kGet));
  CHECK(server.connections() == 3);  // no late look-up has led to a connection
}

TEST_CASE("a look-up that hangs can be cancelled") {
  const tests::Certificate certificate;
  const TlsServer server(certificate, answer_all);
  tests::hang("hanging.test");
  Cancellation cancellation;
  Request request = kGet;
  request.cancellation = &cancellation;
  std::jthread canceller([&] {
    while (tests::hanging() == 0) std::this_thread::sleep_for(milliseconds(1));
    cancellation.request();
  });
  CHECK(client("hanging.test", server, certificate)->exchange(request).error().code == ErrorCode::kCancelled);
  canceller.join();
  release_all();
}

}  // namespace
}  // namespace hearsay::https
