#include "aggregator/http/transport.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "aggregator/http/ticket_keys.h"
#include "aggregator/http/tls.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using Kind = IoResult::Kind;

class Pair {
 public:
  explicit Pair(int version) {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds_.data()) == 0);
    transport.emplace(fds_[0], context_.get());
    SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(context, version);
    client = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set_fd(client, fds_[1]);
    SSL_set_connect_state(client);
    Kind server = Kind::kWantRead;
    for (int i = 0; i < 10 && !(server == Kind::kDone && SSL_is_init_finished(client)); ++i) {
      SSL_do_handshake(client);
      server = transport->handshake().kind;
    }
    REQUIRE(server == Kind::kDone);
    REQUIRE(SSL_is_init_finished(client));
  }
  ~Pair() {
    SSL_free(client);
    for (const int fd : fds_) ::close(fd);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int server_fd() const { return fds_[0]; }
  int fd() const { return fds_[1]; }
  // Returns all bytes below TLS that have reached the client. Sets `ended` if no more bytes will come.
  std::string drain(bool& ended) const {
    std::string all;
    std::array<char, 4096> some;
    ssize_t size = 0;
    while ((size = ::recv(fds_[1], some.data(), some.size(), 0)) > 0)
      all.append(some.data(), static_cast<size_t>(size));
    ended = size == 0;
    return all;
  }

 private:
  TestCertificate certificate_;
  TicketKeys keys_;
  TlsContext context_ = load_tls_context(certificate_.files(), keys_).value().context;
  std::array<int, 2> fds_{};

 public:
  std::optional<Transport> transport;
  SSL* client = nullptr;
};

TEST_CASE("a read pauses after some records without data") {
  Pair pair(TLS1_3_VERSION);
  BIO* const records = BIO_new(BIO_s_mem());
  SSL_set0_wbio(pair.client, records);
  constexpr int kUpdates = 3000;  // updates of 27 bytes each
  for (int i = 0; i < kUpdates; ++i) {
    REQUIRE(SSL_key_update(pair.client, SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
    REQUIRE(SSL_do_handshake(pair.client) == 1);
  }
  REQUIRE(SSL_write(pair.client, "x", 1) == 1);
  char* bytes = nullptr;
  const auto size = static_cast<std::size_t>(BIO_get_mem_data(records, &bytes));
  REQUIRE(size > 27 * kUpdates);
  REQUIRE(::send(pair.fd(), bytes, size, 0) == static_cast<ssize_t>(size));
  std::array<char, 10> out{};
  int pauses = 0;
  IoResult result = pair.transport->read(out);
  for (; result.kind == Kind::kPaused; result = pair.transport->read(out)) {
    ++pauses;
  }
  CHECK(pauses >= 2);
  CHECK(pauses < 100);
  CHECK(result.kind == Kind::kDone);
  CHECK(result.bytes == 1);
  CHECK(pair.transport->read(out).kind == Kind::kWantRead);
  CHECK_FALSE(pair.transport->has_pending());
}

TEST_CASE("a connection is closed with a TLS alert, even if there is no room for the alert at first") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Pair pair(version);
    bool ended = false;
    pair.drain(ended);  // reads the tickets
    const std::string filling(1000, 'f');
    while (::send(pair.server_fd(), filling.data(), filling.size(), 0) > 0) continue;
    for (int i = 0; i < 3; ++i) CHECK(pair.transport->close_writing().kind == Kind::kWantWrite);
    pair.drain(ended);
    CHECK_FALSE(ended);
    CHECK(pair.transport->close_writing().kind == Kind::kDone);
    const std::string alert = pair.drain(ended);
    CHECK(ended);
    CHECK(alert.size() >= 7);  // an alert is the head of a record and at least two encrypted bytes
  }
}

}  // namespace
}  // namespace hearsay::http
