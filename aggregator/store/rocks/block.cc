#include "aggregator/store/rocks/block.h"

#include "aggregator/store/report_digest.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {

Result<std::uint64_t> read_block(const BlockKey& key, std::string_view value, const VisitReport& visit) {
  const auto corrupt_block = [&] { return corrupt_entry("blocks", key.encode()); };
  if (value.size() <= kIntegerSize) return corrupt_block();
  const std::uint64_t reports = decode_integer(value);
  value.remove_prefix(kIntegerSize);
  std::span<const std::uint8_t> rest{reinterpret_cast<const std::uint8_t*>(value.data()), value.size()};
  for (std::uint64_t i = 0; i < reports; ++i) {
    const auto before = rest;
    const auto report = read_report(rest);
    if (!report) return corrupt_block();
    HEARSAY_CHECK_OK(visit(*report, content_of(before.first(before.size() - rest.size()))));
  }
  if (!rest.empty()) return corrupt_block();
  return reports;
}

}  // namespace hearsay::store::rocks
