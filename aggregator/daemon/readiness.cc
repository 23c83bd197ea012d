#include "aggregator/daemon/readiness.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>

namespace hearsay::daemon {

std::vector<std::string_view> reasons_not_ready(const ReadinessFacts& facts) {
  std::vector<std::string_view> reasons;
  if (facts.draining) reasons.emplace_back("draining");
  if (!facts.store_healthy) reasons.emplace_back("store_failed");
  if (facts.sealed_ahead != 0) reasons.emplace_back("windows_sealed_ahead");
  if (!facts.certificate_end) {
    reasons.emplace_back("certificate_unreadable");
  } else if (facts.now >= *facts.certificate_end) {
    reasons.emplace_back("certificate_expired");
  }
  if (facts.free_bytes < facts.min_free_bytes) reasons.emplace_back("disk_nearly_full");
  if (facts.queued_bytes >= facts.max_queued_bytes - facts.max_queued_bytes / 10) reasons.emplace_back("queue_full");
  return reasons;
}

std::vector<std::string_view> warnings_of(double memory_pressure) {
  std::vector<std::string_view> warnings;
  if (memory_pressure >= 0.9) warnings.emplace_back("memory_nearly_full");
  return warnings;
}

Result<UnixSeconds> certificate_end(const std::string& file) {
  const Error unreadable{ErrorCode::kIo, "cannot read the validity of the certificate in '" + file + "'"};
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> in(std::fopen(file.c_str(), "re"), &std::fclose);
  if (!in) return unreadable;
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(PEM_read_X509(in.get(), nullptr, nullptr, nullptr),
                                                                &X509_free);
  std::tm end{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) return unreadable;
  const std::time_t seconds = timegm(&end);
  return seconds < 0 ? UnixSeconds{0} : static_cast<UnixSeconds>(seconds);
}

std::uint64_t free_disk_bytes(const std::string& path) {
  std::error_code error;
  const auto space = std::filesystem::space(path, error);
  return error ? 0 : space.available;
}

}  // namespace hearsay::daemon
