// Whether the daemon should be sent reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/daemon/certificate.h"
#include "hearsay/error.h"

namespace hearsay::daemon {

// A clock that is being corrected steps back a little. Windows sealed no more than so many seconds early are no fault.
inline constexpr std::uint64_t kSealedAheadTolerance = 60;

struct ReadinessFacts {
  bool draining = false;
  std::optional<ErrorCode> store_failure;  // see store::Store::failure()
  CertificateState certificate = CertificateState::kValid;
  std::optional<std::uint64_t> free_bytes;  // on the disk of a store in a directory
  std::uint64_t min_free_bytes = 0;
  std::uint64_t sealed_ahead = 0;  // see store::Store, at the time + kSealedAheadTolerance
  std::uint64_t queued_bytes = 0;
  std::uint64_t max_queued_bytes = 1;
};

// Why not, in words for machines; empty if the daemon is ready: "draining", "store_failed" and, beside it if that is
// why, "database_clock_differs", "windows_sealed_ahead", "certificate_expired", "certificate_not_yet_valid",
// "disk_nearly_full", "queue_full" (from nine tenths of max_queued_bytes).
std::vector<std::string_view> reasons_not_ready(const ReadinessFacts& facts);

// Returns the troubles of a daemon that is ready, in words for machines: "memory_nearly_full" (from nine tenths of
// max_buffered_bytes, or of the part that strangers may hold) and "certificate_expires_soon". A daemon whose memory is
// nearly full stays ready: reports of usual size and callers with tokens still get through. Otherwise whoever fills the
// memory would cut everybody off.
std::vector<std::string_view> warnings_of(double memory_pressure, CertificateState certificate);

// Bytes that an ordinary user may still write where `path` is; 0 if that cannot be told.
std::uint64_t free_disk_bytes(const std::string& path);

}  // namespace hearsay::daemon
