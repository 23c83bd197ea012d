// Reads blocks. A block is one value with reports of one commit, task and window; see format.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "aggregator/store/rocks/keys.h"
#include "common/report/report.h"

namespace hearsay::store::rocks {

// A block holds at most this many bytes of reports.
inline constexpr std::size_t kMaxBlockBytes = std::size_t{4} << 20U;

// Calls `visit` with each report of the block and its content_of(). Returns the number of reports. Errors:
// kStoreCorrupt, and the errors of `visit`.
using VisitReport = std::function<Result<void>(const ReportView& report, std::span<const std::uint8_t> content)>;
Result<std::uint64_t> read_block(const BlockKey& key, std::string_view value, const VisitReport& visit);

}  // namespace hearsay::store::rocks
