#include "aggregator/daemon/readiness.h"

#include <doctest/doctest.h>

#include <filesystem>

namespace hearsay::daemon {
namespace {

using Reasons = std::vector<std::string_view>;

ReadinessFacts good() {
  ReadinessFacts facts;
  facts.free_bytes = 50;
  facts.min_free_bytes = 50;
  facts.queued_bytes = 89;
  facts.max_queued_bytes = 100;
  return facts;
}

TEST_CASE("each reason alone makes the daemon unready, at its exact bound") {
  CHECK(reasons_not_ready(good()).empty());
  ReadinessFacts facts = good();
  facts.draining = true;
  CHECK(reasons_not_ready(facts) == Reasons{"draining"});
  facts = good();
  facts.store_failure = ErrorCode::kStoreFailed;
  CHECK(reasons_not_ready(facts) == Reasons{"store_failed"});
  facts.store_failure = ErrorCode::kClockUncertain;
  CHECK(reasons_not_ready(facts) == Reasons{"store_failed", "database_clock_differs"});
  facts.store_failure = ErrorCode::kInUse;
  CHECK(reasons_not_ready(facts) == Reasons{"store_failed", "instance_shut_out"});
  facts.store_failure = ErrorCode::kStoreCorrupt;
  CHECK(reasons_not_ready(facts) == Reasons{"store_failed", "store_damaged"});
  facts = good();
  facts.sealed_ahead = 1;
  CHECK(reasons_not_ready(facts) == Reasons{"windows_sealed_ahead"});
  facts = good();
  facts.certificate = CertificateState::kExpired;
  CHECK(reasons_not_ready(facts) == Reasons{"certificate_expired"});
  facts = good();
  facts.certificate = CertificateState::kNotYetValid;
  CHECK(reasons_not_ready(facts) == Reasons{"certificate_not_yet_valid"});
  facts.certificate = CertificateState::kExpiresSoon;
  CHECK(reasons_not_ready(facts).empty());
  facts = good();
  facts.free_bytes.reset();  // a store in a database has no number of free bytes
  CHECK(reasons_not_ready(facts).empty());
  facts.free_bytes = 49;
  CHECK(reasons_not_ready(facts) == Reasons{"disk_nearly_full"});
  facts = good();
  facts.queued_bytes = 90;
  CHECK(reasons_not_ready(facts) == Reasons{"queue_full"});
}

TEST_CASE("nearly full memory is a warning and no reason to be unready, because small reports are still accepted") {
  const CertificateState valid = CertificateState::kValid;
  CHECK(warnings_of(0.89, valid).empty());
  CHECK(warnings_of(0.9, valid) == Reasons{"memory_nearly_full"});
  CHECK(warnings_of(7, valid) == Reasons{"memory_nearly_full"});
  CHECK(warnings_of(7, CertificateState::kExpiresSoon) == Reasons{"memory_nearly_full", "certificate_expires_soon"});
  CHECK(warnings_of(0, CertificateState::kExpired).empty());
}

TEST_CASE("all reasons for being unready are reported at once") {
  ReadinessFacts facts = good();
  facts.draining = true;
  facts.store_failure = ErrorCode::kStoreFailed;
  facts.certificate = CertificateState::kExpired;
  facts.free_bytes = 0;
  facts.queued_bytes = 100;
  CHECK(reasons_not_ready(facts) ==
        Reasons{"draining", "store_failed", "certificate_expired", "disk_nearly_full", "queue_full"});
}

TEST_CASE("the free disk space of a directory is measured") {
  CHECK(free_disk_bytes(std::filesystem::temp_directory_path()) > 0);
  CHECK(free_disk_bytes("/nonexistent") == 0);
}

}  // namespace
}  // namespace hearsay::daemon
