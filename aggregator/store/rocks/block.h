// The reports of one commit, task and window as one value; see format.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "aggregator/store/rocks/keys.h"
#include "common/report/report.h"

namespace hearsay::store::rocks {

// No more than this many bytes of reports go into a block, unless one report alone is larger.
inline constexpr std::size_t kMaxBlockBytes = std::size_t{4} << 20U;

// The part of a report's encoding (common/report/format.md) that holds time and payload.
std::span<const std::uint8_t> content_of(std::span<const std::uint8_t> encoded);

// The reports of a block one after the other.
class BlockReader {
 public:
  // `value` must outlive the reader. Errors: kStoreCorrupt.
  static Result<BlockReader> create(const BlockKey& key, std::string_view value);

  std::uint64_t reports() const { return reports_; }
  bool done() const { return rest_.empty(); }
  // The next report; `content` becomes its content_of(). There is one. Errors: kStoreCorrupt.
  Result<ReportView> next(std::span<const std::uint8_t>& content);

 private:
  explicit BlockReader(const BlockKey& key) : key_(key) {}
  Error corrupt() const;
  BlockKey key_;
  std::uint64_t reports_ = 0;
  std::uint64_t left_ = 0;
  std::span<const std::uint8_t> rest_;
};

}  // namespace hearsay::store::rocks
