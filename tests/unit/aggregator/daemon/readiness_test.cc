#include "aggregator/daemon/readiness.h"

#include <doctest/doctest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>

#include "tests/support/temporary_file.h"

namespace hearsay::daemon {
namespace {

using Reasons = std::vector<std::string_view>;

ReadinessFacts good() {
  ReadinessFacts facts;
  facts.now = 1000;
  facts.certificate_end = 1001;
  facts.free_bytes = 50;
  facts.min_free_bytes = 50;
  facts.queued_bytes = 89;
  facts.max_queued_bytes = 100;
  return facts;
}

TEST_CASE("each reason alone turns the daemon unready, at its exact bound") {
  CHECK(reasons_not_ready(good()).empty());
  ReadinessFacts facts = good();
  facts.draining = true;
  CHECK(reasons_not_ready(facts) == Reasons{"draining"});
  facts = good();
  facts.store_healthy = false;
  CHECK(reasons_not_ready(facts) == Reasons{"store_failed"});
  facts = good();
  facts.sealed_ahead = 1;
  CHECK(reasons_not_ready(facts) == Reasons{"windows_sealed_ahead"});
  facts = good();
  facts.now = 1001;
  CHECK(reasons_not_ready(facts) == Reasons{"certificate_expired"});
  facts = good();
  facts.certificate_end.reset();
  CHECK(reasons_not_ready(facts) == Reasons{"certificate_unreadable"});
  facts = good();
  facts.free_bytes = 49;
  CHECK(reasons_not_ready(facts) == Reasons{"disk_nearly_full"});
  facts = good();
  facts.queued_bytes = 90;
  CHECK(reasons_not_ready(facts) == Reasons{"queue_full"});
}

TEST_CASE("memory that is nearly full is a warning and no reason: small reports still get through") {
  CHECK(warnings_of(0.89).empty());
  CHECK(warnings_of(0.9) == Reasons{"memory_nearly_full"});
  CHECK(warnings_of(7) == Reasons{"memory_nearly_full"});
}

TEST_CASE("all reasons are told at once") {
  ReadinessFacts facts = good();
  facts.draining = true;
  facts.store_healthy = false;
  facts.certificate_end = 0;
  facts.free_bytes = 0;
  facts.queued_bytes = 100;
  CHECK(reasons_not_ready(facts) ==
        Reasons{"draining", "store_failed", "certificate_expired", "disk_nearly_full", "queue_full"});
}

// A self-signed certificate whose validity ends at `end`.
void write_certificate(const std::string& path, std::time_t end) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), 0);
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), end);
  X509_set_pubkey(certificate.get(), key.get());
  REQUIRE(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> out(std::fopen(path.c_str(), "w"), &std::fclose);
  REQUIRE(PEM_write_X509(out.get(), certificate.get()) == 1);
}

TEST_CASE("the end of a certificate's validity is read from its file, in summer and winter, before and after 2050") {
  const tests::TemporaryFile file("");
  for (const std::time_t end : {std::time_t{1'900'000'000}, std::time_t{1'910'000'000}, std::time_t{4'000'000'000}}) {
    write_certificate(file.path(), end);
    CHECK(certificate_end(file.path()).value() == static_cast<UnixSeconds>(end));
  }
}

TEST_CASE("what is no certificate has no end") {
  const tests::TemporaryFile nonsense("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n");
  CHECK(certificate_end(nonsense.path()).error().code == ErrorCode::kIo);
  CHECK(certificate_end("/nonexistent").error().code == ErrorCode::kIo);
  CHECK(certificate_end("/nonexistent").error().message.find("/nonexistent") != std::string::npos);
}

TEST_CASE("free disk space") {
  CHECK(free_disk_bytes(std::filesystem::temp_directory_path()) > 0);
  CHECK(free_disk_bytes("/nonexistent") == 0);
}

}  // namespace
}  // namespace hearsay::daemon
