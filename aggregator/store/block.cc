#include "aggregator/store/block.h"

#include "common/base/try.h"
#include "common/report/cbor.h"

namespace hearsay::aggregator {
namespace {

// What stands before a report's time: the heads of array, version and id, and the id.
constexpr std::size_t kBeforeTime = 1 + 1 + 1 + sizeof(ReportId);

}  // namespace

std::span<const std::uint8_t> append_encoded(const ReportView& report, std::vector<std::uint8_t>& out) {
  constexpr std::array<std::uint8_t, 3> kStart = {0x84, 0x01, 0x50};
  const std::size_t begin = out.size();
  out.insert(out.end(), kStart.begin(), kStart.end());
  out.insert(out.end(), report.id.bytes.begin(), report.id.bytes.end());
  cbor::append_head(cbor::MajorType::kUnsigned, report.time, out);
  cbor::append_head(cbor::MajorType::kBytes, report.payload.size(), out);
  out.insert(out.end(), report.payload.begin(), report.payload.end());
  return std::span<const std::uint8_t>(out).subspan(begin + kBeforeTime);
}

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
  content = before.subspan(kBeforeTime, before.size() - rest_.size() - kBeforeTime);
  return report;
}

}  // namespace hearsay::aggregator
