// Decides whether clients should send reports to this daemon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/daemon/certificate.h"
#include "hearsay/error.h"

namespace hearsay::daemon {

// In seconds. A clock that is being corrected may step back a little. So windows that were sealed too early by at most
// kSealedAheadTolerance are no fault.
inline constexpr std::uint64_t kSealedAheadTolerance = 60;

struct ReadinessFacts {
  bool draining = false;
  std::optional<ErrorCode> store_failure;  // see store::Store::failure()
  CertificateState certificate = CertificateState::kValid;
  std::optional<std::uint64_t> free_bytes;  // on the disk of a store in a directory
  std::uint64_t min_free_bytes = 0;
  std::uint64_t sealed_ahead = 0;  // Store::sealed_ahead(now + kSealedAheadTolerance)
  std::uint64_t queued_bytes = 0;
  std::uint64_t max_queued_bytes = 1;
};

// Returns why the daemon is not ready, in words for machines. Returns nothing for a ready daemon. The words are
// "draining", "store_failed", "windows_sealed_ahead", "certificate_expired", "certificate_not_yet_valid",
// "disk_nearly_full" and "queue_full" (from nine tenths of max_queued_bytes). "store_failed" may come with its cause:
// "database_clock_differs", "instance_shut_out" (another process uses the daemon's name) or "store_damaged" (the store
// is damaged, or a database has lost acknowledged commits).
std::vector<std::string_view> reasons_not_ready(const ReadinessFacts& facts);

// Returns the troubles that leave the daemon ready, in words for machines: "memory_nearly_full" (from nine tenths of
// max_buffered_bytes, or of the part that callers without a token may take) and "certificate_expires_soon". A daemon
// whose memory is nearly full stays ready, because reports of usual size and callers with tokens still get through.
std::vector<std::string_view> warnings_of(double memory_pressure, CertificateState certificate);

// Returns how many bytes an ordinary user may still write on the file system of `path`; 0 if this is unknown.
std::uint64_t free_disk_bytes(const std::string& path);

}  // namespace hearsay::daemon
