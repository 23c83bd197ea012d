#include "aggregator/store/rocks/block.h"

#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

// What stands before a report's time: the heads of array, version and id, and the id.
constexpr std::size_t kBeforeTime = 1 + 1 + 1 + sizeof(ReportId);

}  // namespace

std::span<const std::uint8_t> content_of(std::span<const std::uint8_t> encoded) { return encoded.subspan(kBeforeTime); }

Error BlockReader::corrupt() const { return corrupt_entry("blocks", key_.encode()); }

Result<BlockReader> BlockReader::create(const BlockKey& key, std::string_view value) {
  BlockReader reader(key);
  if (value.size() <= kIntegerSize) return reader.corrupt();
  reader.reports_ = reader.left_ = decode_integer(value);
  reader.rest_ = {reinterpret_cast<const std::uint8_t*>(value.data()) + kIntegerSize, value.size() - kIntegerSize};
  return reader;
}

Result<ReportView> BlockReader::next(std::span<const std::uint8_t>& content) {
  const auto before = rest_;
  auto report = read_report(rest_);
  if (!report || left_ == 0) return corrupt();
  --left_;
  if (rest_.empty() && left_ != 0) return corrupt();
  content = content_of(before.first(before.size() - rest_.size()));
  return report;
}

}  // namespace hearsay::store::rocks
