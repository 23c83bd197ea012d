#include "aggregator/store/report_digest.h"

#include <algorithm>

#include "common/random/hash.h"
#include "common/report/report.h"

namespace hearsay::store {
namespace {

// The bytes before a report's time: the CBOR heads of the array, the version and the id, and then the id.
constexpr std::size_t kBeforeTime = 1 + 1 + 1 + sizeof(ReportId);

}  // namespace

std::span<const std::uint8_t> content_of(std::span<const std::uint8_t> encoded) { return encoded.subspan(kBeforeTime); }

ReportDigest report_digest(std::span<const std::uint8_t> content) {
  const Digest whole = sha256().digest(content);
  ReportDigest digest;
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  return digest;
}

}  // namespace hearsay::store
