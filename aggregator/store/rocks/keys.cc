#include "aggregator/store/rocks/keys.h"

#include <cstring>
#include <initializer_list>

#include "aggregator/store/rocks/status.h"
#include "common/base/encoding.h"

namespace hearsay::store::rocks {
namespace {

constexpr std::uint64_t kOpen = ~std::uint64_t{0};

std::string_view view(const TaskId& id) { return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}; }

std::string join(std::string_view prefix, std::initializer_list<std::uint64_t> integers) {
  std::string bytes(prefix);
  for (const std::uint64_t value : integers) {
    for (unsigned shift = 64; shift != 0; shift -= 8) bytes.push_back(static_cast<char>(value >> (shift - 8U)));
  }
  return bytes;
}

TaskId task_of(std::string_view key) {
  TaskId id;
  std::memcpy(id.bytes.data(), key.data(), sizeof(TaskId));
  return id;
}

}  // namespace

std::string encode_integer(std::uint64_t value) { return join({}, {value}); }

std::uint64_t decode_integer(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kIntegerSize; ++i) value = value << 8U | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

std::string Totals::encode() const {
  return join({}, {commits, reports, blocks, live_reports, live_blocks, live_tasks});
}

std::optional<Totals> Totals::decode(std::string_view bytes) {
  if (bytes.size() != 6 * kIntegerSize) return std::nullopt;
  const auto integer = [&](std::size_t i) { return decode_integer(bytes.substr(i * kIntegerSize)); };
  return Totals{integer(0), integer(1), integer(2), integer(3), integer(4), integer(5)};
}

Totals& Totals::operator+=(const Totals& other) {
  commits += other.commits;
  reports += other.reports;
  blocks += other.blocks;
  live_reports += other.live_reports;
  live_blocks += other.live_blocks;
  live_tasks += other.live_tasks;
  return *this;
}

std::string task_key(const TaskId& id) { return std::string(view(id)); }

std::string task_upper_bound(const TaskId& id) { return task_key(id).append(sizeof(ReportId) + 1, '\xff'); }

Error corrupt_entry(std::string_view family, std::string_view key) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(key.data());
  return corrupt("the entry " + hex_encode({bytes, key.size()}) + " of family " + std::string(family) +
                 " is not of the store's format");
}

std::string task_value(const TaskRow& row) {
  return join({}, {row.stored.closed_at.value_or(kOpen), row.sealed_before}).append(row.stored.task.canonical_json());
}

Result<TaskRow> decode_task(std::string_view key, std::string_view value) {
  if (key.size() != sizeof(TaskId) || value.size() < 2 * kIntegerSize) return corrupt_entry("tasks", key);
  auto task = Task::parse(value.substr(2 * kIntegerSize));
  if (!task || view(task->id()) != key || task->canonical_json() != value.substr(2 * kIntegerSize))
    return corrupt_entry("tasks", key);
  const std::uint64_t closed_at = decode_integer(value);
  TaskRow row{{*std::move(task), std::nullopt}, decode_integer(value.substr(kIntegerSize))};
  if (closed_at != kOpen) row.stored.closed_at = closed_at;
  return row;
}

std::string id_key(const TaskId& task, UnixSeconds window, const ReportId& report) {
  return window_key(task, window).append(report.bytes.begin(), report.bytes.end());
}

std::string disk_digest(std::span<const std::uint8_t> content) {
  const ReportDigest digest = report_digest(content);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string BlockKey::encode() const { return join(view(task), {window, sequence}); }

Result<BlockKey> BlockKey::decode(std::string_view key) {
  if (key.size() != sizeof(TaskId) + 2 * kIntegerSize) return corrupt_entry("blocks", key);
  return BlockKey{task_of(key), decode_integer(key.substr(sizeof(TaskId))),
                  decode_integer(key.substr(sizeof(TaskId) + kIntegerSize))};
}

std::string PartKey::encode() const {
  std::string key = join(view(task), {window, start.group});
  key.push_back(static_cast<char>(start.answer >> 8U));
  key.push_back(static_cast<char>(start.answer));
  return key;
}

Result<PartKey> PartKey::decode(std::string_view key) {
  if (key.size() != kPartKeySize) return corrupt_entry("tallies", key);
  const std::string_view integers = key.substr(sizeof(TaskId));
  const auto high = static_cast<std::uint8_t>(key[kPartKeySize - 2]);
  const auto low = static_cast<std::uint8_t>(key[kPartKeySize - 1]);
  return PartKey{task_of(key),
                 decode_integer(integers),
                 {decode_integer(integers.substr(kIntegerSize)), std::uint32_t{high} << 8U | low}};
}

std::string window_key(const TaskId& task, UnixSeconds window) { return join(view(task), {window}); }

Result<WindowKey> decode_window(std::string_view family, std::string_view key) {
  if (key.size() != kWindowKeySize) return corrupt_entry(family, key);
  return WindowKey{task_of(key), decode_integer(key.substr(sizeof(TaskId)))};
}

}  // namespace hearsay::store::rocks
