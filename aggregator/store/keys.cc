#include "aggregator/store/keys.h"

#include <algorithm>
#include <cstring>

#include "common/base/encoding.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

constexpr std::uint64_t kOpen = ~std::uint64_t{0};

std::string_view view(const TaskId& id) { return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}; }

Error corrupt_key(std::string_view family, std::string_view key) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(key.data());
  return {ErrorCode::kStoreCorrupt, "the entry " + hex_encode({bytes, key.size()}) + " of family " +
                                        std::string(family) + " is not of the store's format"};
}

}  // namespace

IntegerBytes encode_integer(std::uint64_t value) {
  IntegerBytes bytes;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, value >>= 8U) {
    *byte = static_cast<char>(static_cast<std::uint8_t>(value & 0xffU));
  }
  return bytes;
}

std::uint64_t decode_integer(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kIntegerSize; ++i) value = value << 8U | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

std::string Totals::encode() const {
  const IntegerBytes first = encode_integer(commits);
  const IntegerBytes second = encode_integer(reports);
  return std::string(first.data(), first.size()).append(second.data(), second.size());
}

std::optional<Totals> Totals::decode(std::string_view bytes) {
  if (bytes.size() != 2 * kIntegerSize) return std::nullopt;
  return Totals{decode_integer(bytes), decode_integer(bytes.substr(kIntegerSize))};
}

std::string task_key(const TaskId& id) { return std::string(view(id)); }

std::string task_upper_bound(const TaskId& id) { return task_key(id).append(sizeof(ReportId) + 1, '\xff'); }

std::string task_value(const StoredTask& task) {
  const IntegerBytes closed_at = encode_integer(task.closed_at.value_or(kOpen));
  return std::string(closed_at.data(), closed_at.size()).append(task.task.canonical_json());
}

Result<StoredTask> decode_task(std::string_view key, std::string_view value) {
  if (key.size() != sizeof(TaskId) || value.size() < kIntegerSize) return corrupt_key("tasks", key);
  auto task = Task::parse(value.substr(kIntegerSize));
  if (!task || view(task->id()) != key || task->canonical_json() != value.substr(kIntegerSize)) {
    return corrupt_key("tasks", key);
  }
  StoredTask stored{*std::move(task), std::nullopt};
  const std::uint64_t closed_at = decode_integer(value);
  if (closed_at != kOpen) stored.closed_at = closed_at;
  return stored;
}

ReportKey report_key(const TaskId& task, const ReportId& report) {
  ReportKey key;
  std::memcpy(key.data(), task.bytes.data(), sizeof(TaskId));
  std::memcpy(key.data() + sizeof(TaskId), report.bytes.data(), sizeof(ReportId));
  return key;
}

bool is_value_of(std::string_view value, const ReportView& report) {
  if (value.size() != kIntegerSize + report.payload.size() || decode_integer(value) != report.time) return false;
  return std::equal(report.payload.begin(), report.payload.end(), value.begin() + kIntegerSize,
                    [](std::uint8_t byte, char stored) { return byte == static_cast<std::uint8_t>(stored); });
}

Result<ReportView> decode_report(std::string_view key, std::string_view value) {
  if (key.size() != sizeof(ReportKey) || value.size() < kIntegerSize) return corrupt_key("reports", key);
  ReportView report;
  std::memcpy(report.id.bytes.data(), key.data() + sizeof(TaskId), sizeof(ReportId));
  report.time = decode_integer(value);
  report.payload = {reinterpret_cast<const std::uint8_t*>(value.data()) + kIntegerSize, value.size() - kIntegerSize};
  return report;
}

std::string tally_key(const TaskId& task, UnixSeconds window) {
  const IntegerBytes start = encode_integer(window);
  return task_key(task).append(start.data(), start.size());
}

Result<UnixSeconds> decode_window(std::string_view key) {
  if (key.size() != sizeof(TaskId) + kIntegerSize) return corrupt_key("tallies", key);
  return decode_integer(key.substr(sizeof(TaskId)));
}

}  // namespace hearsay::aggregator
