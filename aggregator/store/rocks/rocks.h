// The embedded store: one RocksDB database in a directory of its own. Key and value formats: format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/store/store.h"

namespace hearsay::store::rocks {

struct Options {
  std::string path;        // directory; created if absent
  bool read_only = false;  // for verify and export beside a stopped daemon
  // Memory for the ids of reports, at most 40 bytes each; the ids of further reports are looked up on the disk, which
  // is slower. May change from one start to the next.
  std::size_t max_index_bytes = std::size_t{256} << 20U;
  // Different (group, answer) pairs in one window: when a window has so many, the store refuses its further reports
  // (kTooManyPairs). Does not concern tasks that have no more pairs than this in all. A store that has run for a while
  // may refuse from half as many on, since it counts pairs that came again.
  std::uint64_t max_window_pairs = std::uint64_t{1} << 22U;
  // Windows of one task that are not sealed: beyond these, reports of windows that have none yet are refused
  // (kTooManyWindows).
  std::uint64_t max_task_windows = 100'000;
  // Different pairs that tally() adds up at a time, at 48 bytes each.
  std::uint64_t max_tally_pairs = std::uint64_t{1} << 23U;
};
// Errors: kStoreFailed (cannot open, locked), kStoreCorrupt (damage found, names the file or key).
Result<std::unique_ptr<Store>> open(const Options& options);

struct RepairResult {
  std::uint64_t commits = 0;                  // that can be read in order
  std::uint64_t reports = 0;                  // stored by them
  std::optional<std::uint64_t> lost_commits;  // acknowledged ones behind these; nothing if the mark cannot be read
  bool dropped = false;                       // whether the store was changed
};
// Counts the acknowledged commits that the store in `path` can no longer read because the end of its log is damaged.
// Changes nothing, unless `drop_damaged_tail` is set: the store then goes on without these commits.
// Errors: kStoreCorrupt (something else than the log's end or the mark is damaged, and nothing was changed),
// kStoreFailed.
Result<RepairResult> repair(const std::string& path, bool drop_damaged_tail);

// Writes the backup of this number (0: the newest), whose checksums are verified, as a store in the new directory
// `path`. Errors: kStoreFailed (also if `path` exists and is not empty, or there is no such backup), kStoreCorrupt.
Result<BackupInfo> restore_backup(const std::string& directory, const std::string& path, std::uint32_t number = 0);
// Reads no file of the backup. Errors: kStoreFailed (there is none), kStoreCorrupt.
Result<BackupInfo> newest_backup(const std::string& directory);
// The checksums of the backup's files (0: the newest), then the store in it as verify() does; changes and copies
// nothing.
Result<VerifyResult> verify_backup(const std::string& directory, std::uint32_t number = 0);

}  // namespace hearsay::store::rocks
