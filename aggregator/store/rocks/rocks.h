// Opens, repairs and restores the embedded store: a RocksDB database in a directory of its own. Formats: format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/store/store.h"

namespace hearsay::store::rocks {

struct Options {
  std::string path;        // the store's directory; open() makes a missing directory
  bool read_only = false;  // for verify and export while the daemon is stopped
  // Limit on the memory for the ids of reports. An id takes about 40 bytes. Further ids are kept on the disk, where
  // look-ups are slower. The bound may change from one start to the next.
  std::size_t max_index_bytes = std::size_t{256} << 20U;
  // Limit on the different (group, answer) pairs in one window. A full window refuses further reports (kTooManyPairs).
  // The bound has no effect on a task whose channel cannot make more pairs. The store may count a pair twice (see
  // must_look_up()), so a window may count as full with half as many pairs.
  std::uint64_t max_window_pairs = std::uint64_t{1} << 22U;
  // Limit on the windows of one task that are not sealed. The store refuses a report that would open a further window
  // (kTooManyWindows).
  std::uint64_t max_task_windows = 100'000;
  // Limit on the different pairs in a sum that tally() returns. A pair takes 48 bytes.
  std::uint64_t max_tally_pairs = std::uint64_t{1} << 23U;
};
// Opens the store, or makes a new store. Errors: kStoreFailed (the store cannot be opened, or is locked), kStoreCorrupt
// (the store is damaged; names the file or key).
Result<std::unique_ptr<Store>> open(const Options& options);

struct RepairResult {
  std::uint64_t commits = 0;                  // commits before the first commit that cannot be read
  std::uint64_t reports = 0;                  // reports that the store held after these commits
  std::optional<std::uint64_t> lost_commits;  // acknowledged commits that cannot be read; nothing without a mark
  bool dropped = false;                       // true if the store was changed
};
// Counts the acknowledged commits that the store in `path` cannot read because the end of its log is damaged. With
// `drop_damaged_tail`, also drops these commits, so that the store opens again; otherwise changes nothing. Errors:
// kStoreCorrupt (something other than the log's end or the mark is damaged; nothing was changed), kStoreFailed.
Result<RepairResult> repair(const std::string& path, bool drop_damaged_tail);

// Verifies the checksums of a backup (number 0: the newest), and writes the backup as a store into the new directory
// `path`. Errors: kStoreFailed (also if `path` exists and is not empty, or there is no such backup), kStoreCorrupt.
Result<BackupInfo> restore_backup(const std::string& directory, const std::string& path, std::uint32_t number = 0);
// Returns the newest backup, without reading its files. Errors: kStoreFailed (there is none), kStoreCorrupt.
Result<BackupInfo> newest_backup(const std::string& directory);
// Verifies the checksums of a backup (number 0: the newest), and then checks the store in the backup as verify() does.
// Changes and copies nothing.
Result<VerifyResult> verify_backup(const std::string& directory, std::uint32_t number = 0);

}  // namespace hearsay::store::rocks
