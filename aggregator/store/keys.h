// Keys and values of the embedded store as byte strings; see format.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aggregator/store/store.h"

namespace hearsay::aggregator {

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kLastKey = "last";
inline constexpr std::string_view kSumKey = "sum";
inline constexpr std::string_view kFormat = "1";

inline constexpr std::size_t kIntegerSize = 8;
using IntegerBytes = std::array<char, kIntegerSize>;
IntegerBytes encode_integer(std::uint64_t value);
// `bytes` has at least kIntegerSize bytes; reads the first.
std::uint64_t decode_integer(std::string_view bytes);

// What the store has taken since it was made.
struct Totals {
  std::uint64_t commits = 0;
  std::uint64_t reports = 0;

  std::string encode() const;
  static std::optional<Totals> decode(std::string_view bytes);
  bool operator==(const Totals&) const = default;
};

std::string task_key(const TaskId& id);
// Above every key of the task in every family, below those of the next task.
std::string task_upper_bound(const TaskId& id);
std::string task_value(const StoredTask& task);
// Errors: kStoreCorrupt, also if the document is not the key's.
Result<StoredTask> decode_task(std::string_view key, std::string_view value);

using ReportKey = std::array<char, sizeof(TaskId) + sizeof(ReportId)>;
ReportKey report_key(const TaskId& task, const ReportId& report);
// The value of a report is its time and payload; true iff `value` is that of `report`.
bool is_value_of(std::string_view value, const ReportView& report);
// The view points into `value`. Errors: kStoreCorrupt.
Result<ReportView> decode_report(std::string_view key, std::string_view value);

std::string tally_key(const TaskId& task, UnixSeconds window);
// Errors: kStoreCorrupt.
Result<UnixSeconds> decode_window(std::string_view key);

}  // namespace hearsay::aggregator
