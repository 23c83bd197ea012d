// Tests which certificates the server accepts, at the start and at a reload, and the errors about others.
#include <doctest/doctest.h>
#include <openssl/x509v3.h>

#include <fstream>

#include "aggregator/http/server.h"
#include "tests/support/certificates.h"
#include "tests/unit/aggregator/http/test_client.h"

namespace hearsay::http {
namespace {

using tests::Identity;
using tests::IdentitySpec;

constexpr UnixSeconds kNow = 1'700'000'000;

struct Files {
  tests::TemporaryDirectory directory;
  TlsFiles files{directory.path() / "server.pem", directory.path() / "server.key"};

  void write(const Identity& identity, const std::string& issuers = "") {
    std::ofstream(files.certificate) << identity.certificate_pem() << issuers;
    tests::write_private(files.private_key, identity.key_pem());
  }
  Result<TestServer> start() const {
    HttpServerOptions options;
    options.tls = files;
    return TestServer::start(options, echo);
  }
  // Returns the text of the error without its first words, which all errors share.
  std::string refusal() const {
    const auto server = start();
    REQUIRE_FALSE(server);
    CHECK(server.error().code == ErrorCode::kIo);
    const std::string& message = server.error().message;
    const std::string front = "cannot use the certificate '" + files.certificate + "': ";
    REQUIRE_MESSAGE(message.starts_with(front), message);
    return message.substr(front.size());
  }
  std::vector<std::string> doubts() const { return start().value()->certificate().doubts; }
};

TEST_CASE_FIXTURE(Files, "the server accepts each kind of key that clients accept") {
  for (const char* key : {"P-256", "P-384", "P-521", "RSA2048"}) {
    CAPTURE(key);
    write(tests::make_identity({.key = key}));
    const auto server = start();
    REQUIRE(server);
    CHECK(TestClient((*server)->port(), TestClient::Tls::kAny).get("/"));
    CHECK((*server)->certificate().doubts.empty());
    CHECK((*server)->counters().handshakes == 1);  // the handshake that tests the certificate does not count
  }
}

TEST_CASE_FIXTURE(Files, "the server refuses a certificate that every client would refuse, and says why") {
  for (const char* curve : {"secp256k1", "brainpoolP256r1"}) {
    write(tests::make_identity({.key = curve}));
    CHECK(refusal() ==
          "no client takes a key of its kind (EC on " + std::string(curve) + "); use EC on P-256, or RSA of 2048 bits");
  }
  write(tests::make_identity({.key = "RSA512"}));
  CHECK(refusal() == "it has a key that is too short (RSA of 512 bits); use EC on P-256, or RSA of 2048 bits");
  IdentitySpec spec;
  spec.extensions.emplace_back(NID_ext_key_usage, "clientAuth");
  write(tests::make_identity(spec));
  CHECK(refusal() ==
        "it is not for servers (key usage, extended key usage); get a certificate for server authentication");
  write(tests::make_identity(
      {.extensions = {{NID_subject_alt_name, "DNS:localhost"}, {NID_pkcs9_challengePassword, "critical,DER:0500"}}}));
  CHECK(refusal() == "it has a critical extension that clients do not know; get a certificate without this extension");
  write(tests::make_identity({.not_before = 1'800'000'000, .not_after = 1'700'000'000}));
  CHECK(refusal() == "it expires before it becomes valid; get a certificate for a time to come");
}

TEST_CASE_FIXTURE(Files, "the error about a chain in the wrong order says how to order it") {
  const Identity authority = tests::make_identity(tests::authority_spec("authority"));
  const Identity leaf = tests::make_identity({}, &authority);
  write(leaf, authority.certificate_pem());
  CHECK(start());
  std::ofstream(files.certificate) << authority.certificate_pem() << leaf.certificate_pem();
  CHECK(refusal() ==
        "the private key '" + files.private_key +
            "' belongs to its certificate 2, which must come first; put the certificates of its issuers behind it");
}

TEST_CASE_FIXTURE(Files, "a certificate that most clients dislike causes a warning, and no other certificate does") {
  const Identity authority = tests::make_identity(tests::authority_spec("authority"));
  const Identity stranger = tests::make_identity(tests::authority_spec("stranger"));
  const IdentitySpec plain;
  IdentitySpec addressed;
  addressed.extensions.emplace_back(NID_info_access, "caIssuers;URI:http://authority.test/ca.der");
  IdentitySpec other_address;
  other_address.extensions.emplace_back(NID_info_access, "OCSP;URI:http://authority.test/ocsp");
  const std::string front = "certificate '" + files.certificate + "': ";

  for (const IdentitySpec& nameless :
       {IdentitySpec{.extensions = {}}, IdentitySpec{.extensions = {{NID_subject_alt_name, "email:root@localhost"}}}}) {
    write(tests::make_identity(nameless));
    CHECK(doubts() == std::vector<std::string>{
                          front + "it names no host as subject alternative name, and most clients read no other name"});
  }
  write(tests::make_identity(addressed, &authority));
  CHECK(doubts() == std::vector<std::string>{front + "the file lacks the certificate of the issuer, /CN=authority; "
                                                     "append it, unless clients trust that issuer itself"});
  write(tests::make_identity(addressed, &authority), authority.certificate_pem());
  CHECK(doubts().empty());
  write(tests::make_identity(plain, &authority));  // signed by an authority that may be a root
  CHECK(doubts().empty());
  write(tests::make_identity(other_address, &authority));
  CHECK(doubts().empty());
  write(tests::make_identity(plain, &authority), stranger.certificate_pem());
  CHECK(doubts() ==
        std::vector<std::string>{front + "certificate 2 of the file did not issue certificate 1; put the server's "
                                         "certificate first, and behind each certificate its issuer's"});
  using std::filesystem::perms;
  write(tests::make_identity());
  std::filesystem::permissions(files.private_key, perms::owner_read | perms::group_read);
  CHECK(doubts().empty());
  std::filesystem::permissions(files.private_key, perms::owner_read | perms::others_read);
  CHECK(doubts() == std::vector<std::string>{"private key '" + files.private_key +
                                             "': every user of the machine can use the file; chmod 600"});
}

TEST_CASE_FIXTURE(Files,
                  "a certificate counts as valid while the certificate and its issuer in the file are both valid") {
  IdentitySpec spec;
  spec.not_before = 1'000;
  spec.not_after = 4'000'000'000;  // certificates encode times from 2050 on in another form
  write(tests::make_identity(spec));
  ServedCertificate certificate = start().value()->certificate();
  CHECK(certificate.not_before == 1'000);
  CHECK(certificate.not_after == 4'000'000'000);

  IdentitySpec authority_times = tests::authority_spec("authority");
  authority_times.not_before = 2'000;
  authority_times.not_after = 1'910'000'000;
  const Identity authority = tests::make_identity(authority_times);
  write(tests::make_identity(spec, &authority), authority.certificate_pem());
  certificate = start().value()->certificate();
  CHECK(certificate.not_before == 2'000);
  CHECK(certificate.not_after == 1'910'000'000);

  // The last of three certificates does not count, because some clients do not need it.
  write(tests::make_identity(spec), authority.certificate_pem());
  CHECK(start().value()->certificate().not_after == 4'000'000'000);
}

TEST_CASE_FIXTURE(Files,
                  "a reload accepts a certificate only within its time, and until then the old certificate stays") {
  write(tests::make_identity({.serial = 1, .not_after = kNow + 10}));
  const auto started = start();
  REQUIRE(started);
  HttpServer& server = *started.value().operator->();
  const auto refused_at = [&](UnixSeconds now) {
    const auto reloaded = server.reload_certificate(now);
    REQUIRE_FALSE(reloaded);
    CHECK(reloaded.error().code == ErrorCode::kIo);
    CHECK(server.certificate().not_after == kNow + 10);
    CHECK(peer_serial(TestClient(server.port(), TestClient::Tls::kAny).ssl()) == 1);
    return reloaded.error().message;
  };
  write(tests::make_identity({.serial = 2, .not_before = kNow + 20, .not_after = kNow + 3600}));
  const std::string front = "cannot use the certificate '" + files.certificate + "': ";
  CHECK(refused_at(kNow + 19) == front +
                                     "it is valid from 2023-11-14T22:13:40Z on, and the clock says "
                                     "2023-11-14T22:13:39Z; set the clock right, or wait");
  CHECK(refused_at(kNow + 3601) ==
        front + "it expired at 2023-11-14T23:13:20Z, and the clock says 2023-11-14T23:13:21Z; renew it");
  for (const UnixSeconds now : {kNow + 20, kNow + 3600}) {
    CHECK(server.reload_certificate(now));
    CHECK(server.certificate().not_after == kNow + 3600);
    CHECK(peer_serial(TestClient(server.port(), TestClient::Tls::kAny).ssl()) == 2);
  }
}

TEST_CASE_FIXTURE(Files, "a reload refuses each certificate that a start refuses, and the old certificate stays") {
  write(tests::make_identity({.serial = 1}));
  const auto server = start();
  REQUIRE(server);
  const auto refused = [&] {
    const auto reloaded = (*server)->reload_certificate(kNow);
    return !reloaded && peer_serial(TestClient((*server)->port(), TestClient::Tls::kAny).ssl()) == 1;
  };
  write(tests::make_identity({.key = "secp256k1"}));
  CHECK(refused());
  write(tests::make_identity());
  tests::write_private(files.private_key, tests::make_identity().key_pem());
  CHECK(refused());
  std::filesystem::remove(files.private_key);
  CHECK(refused());
  write(tests::make_identity({.serial = 2}));
  CHECK((*server)->reload_certificate(kNow));
}

TEST_CASE_FIXTURE(
    Files,
    "a server that trusts an intermediate authority trusts its clients, but not the clients of sibling authorities") {
  using Tls = TestClient::Tls;
  write(tests::make_identity());
  files.client_ca = directory.path() / "authorities.pem";
  const tests::Identity root = tests::make_identity(tests::authority_spec("root"));
  const tests::Identity ours = tests::make_identity(tests::authority_spec("ours"), &root);
  const tests::Identity sibling = tests::make_identity(tests::authority_spec("sibling"), &root);
  const auto server_for = [&](const tests::Identity& authority) {
    std::ofstream(files.client_ca) << authority.certificate_pem();
    return start().value();
  };
  // Also sends the issuer's certificate, as clients do if their authority is not a root.
  const auto client_of = [&](const tests::Identity& issuer) {
    const tests::Identity client = tests::make_identity({.name = "client", .extensions = {}}, &issuer);
    const TlsFiles shown{directory.path() / "client.pem", directory.path() / "client.key"};
    std::ofstream(shown.certificate) << client.certificate_pem() << issuer.certificate_pem();
    tests::write_private(shown.private_key, client.key_pem());
    return shown;
  };
  for (const Tls tls : {Tls::kOnly12, Tls::kOnly13}) {
    const auto trusts_ours = server_for(ours);
    CHECK(TestClient(trusts_ours->port(), tls, nullptr, client_of(ours)).get("/"));
    CHECK_FALSE(TestClient(trusts_ours->port(), tls, nullptr, client_of(sibling)).get("/"));
    const auto trusts_root = server_for(root);
    CHECK(TestClient(trusts_root->port(), tls, nullptr, client_of(ours)).get("/"));
    CHECK(TestClient(trusts_root->port(), tls, nullptr, client_of(sibling)).get("/"));
  }
}

TEST_CASE_FIXTURE(Files, "the error about a file of authorities names the file") {
  write(tests::make_identity());
  files.client_ca = files.private_key;
  CHECK(start().error().message ==
        "cannot use the authorities '" + files.private_key + "': it holds a private key, not a certificate");
}

}  // namespace
}  // namespace hearsay::http
