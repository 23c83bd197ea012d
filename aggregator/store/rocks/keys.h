// Turns keys and values of the embedded store into bytes and back; see format.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "aggregator/store/report_digest.h"
#include "aggregator/store/store.h"

namespace hearsay::store::rocks {

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kLastKey = "last";
inline constexpr std::string_view kSumKey = "sum";
inline constexpr std::string_view kIdsFromKey = "ids_from";
inline constexpr std::string_view kClockKey = "clock";
inline constexpr std::string_view kFormat = "6";
// The number of the format before kFormat. The two formats differ only in the keys of `ids`. A start upgrades a store
// of format kFormatBefore to kFormat.
inline constexpr std::string_view kFormatBefore = "5";

inline constexpr std::size_t kIntegerSize = 8;
std::string encode_integer(std::uint64_t value);
// Reads the first kIntegerSize bytes of `bytes`, which must not be shorter.
std::uint64_t decode_integer(std::string_view bytes);

// Counts what the store has taken since it was made, and (live_…) what the store still holds. Also stands for the
// change that one commit makes to these numbers, modulo 2^64.
struct Totals {
  std::uint64_t commits = 0;
  std::uint64_t reports = 0;
  std::uint64_t blocks = 0;  // also the sequence number of the next block
  std::uint64_t live_reports = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t live_tasks = 0;

  std::string encode() const;
  static std::optional<Totals> decode(std::string_view bytes);
  Totals& operator+=(const Totals& other);
  bool operator==(const Totals&) const = default;
};

std::string task_key(const TaskId& id);
// Returns a key above every key of the task in every family, and below the keys of the next task.
std::string task_upper_bound(const TaskId& id);
// A row of `tasks`.
struct TaskRow {
  StoredTask stored;
  UnixSeconds sealed_before = 0;
};
std::string task_value(const TaskRow& row);
// Errors: kStoreCorrupt (also if the key is not the id of the task in the value).
Result<TaskRow> decode_task(std::string_view key, std::string_view value);

// The key of a report's id in `ids`.
inline constexpr std::size_t kIdKeySize = sizeof(TaskId) + kIntegerSize + sizeof(ReportId);
std::string id_key(const TaskId& task, UnixSeconds window, const ReportId& report);

// The value of an id: the report_digest() of the report's content.
inline constexpr std::size_t kDiskDigestSize = sizeof(ReportDigest);
std::string disk_digest(std::span<const std::uint8_t> content);

struct BlockKey {
  TaskId task;
  UnixSeconds window;
  std::uint64_t sequence;

  std::string encode() const;
  static Result<BlockKey> decode(std::string_view key);  // kStoreCorrupt
};

// Returns the error of an entry that the store's format does not allow. `family` is a column family's name.
Error corrupt_entry(std::string_view family, std::string_view key);

// A row of `tallies`.
struct PartKey {
  TaskId task;
  UnixSeconds window;
  tally::PartStart start;

  std::string encode() const;
  static Result<PartKey> decode(std::string_view key);  // kStoreCorrupt
};
inline constexpr std::size_t kPartKeySize = sizeof(TaskId) + 2 * kIntegerSize + 2;

// Returns the key of a window's row in `sealed`. This key is below all keys of the window in `tallies` and `blocks`.
std::string window_key(const TaskId& task, UnixSeconds window);
inline constexpr std::size_t kWindowKeySize = sizeof(TaskId) + kIntegerSize;
struct WindowKey {
  TaskId task;
  UnixSeconds window;
};
Result<WindowKey> decode_window(std::string_view family, std::string_view key);  // kStoreCorrupt

}  // namespace hearsay::store::rocks
