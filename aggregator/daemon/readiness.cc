#include "aggregator/daemon/readiness.h"

#include <filesystem>

namespace hearsay::daemon {

std::vector<std::string_view> reasons_not_ready(const ReadinessFacts& facts) {
  std::vector<std::string_view> reasons;
  if (facts.draining) reasons.emplace_back("draining");
  if (facts.store_failure) reasons.emplace_back("store_failed");
  if (facts.store_failure == ErrorCode::kClockUncertain) reasons.emplace_back("database_clock_differs");
  if (facts.store_failure == ErrorCode::kInUse) reasons.emplace_back("instance_shut_out");
  if (facts.store_failure == ErrorCode::kStoreCorrupt) reasons.emplace_back("store_damaged");
  if (facts.sealed_ahead != 0) reasons.emplace_back("windows_sealed_ahead");
  if (facts.certificate == CertificateState::kExpired) reasons.emplace_back("certificate_expired");
  if (facts.certificate == CertificateState::kNotYetValid) reasons.emplace_back("certificate_not_yet_valid");
  if (facts.free_bytes && *facts.free_bytes < facts.min_free_bytes) reasons.emplace_back("disk_nearly_full");
  if (facts.queued_bytes >= facts.max_queued_bytes - facts.max_queued_bytes / 10) reasons.emplace_back("queue_full");
  return reasons;
}

std::vector<std::string_view> warnings_of(double memory_pressure, CertificateState certificate) {
  std::vector<std::string_view> warnings;
  if (memory_pressure >= 0.9) warnings.emplace_back("memory_nearly_full");
  if (certificate == CertificateState::kExpiresSoon) warnings.emplace_back("certificate_expires_soon");
  return warnings;
}

std::uint64_t free_disk_bytes(const std::string& path) {
  std::error_code error;
  const auto space = std::filesystem::space(path, error);
  return error ? 0 : space.available;
}

}  // namespace hearsay::daemon
