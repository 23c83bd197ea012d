// The mark is a file beside RocksDB's files. The mark holds the number of the last acknowledged commit. If a start
// finds fewer commits in the database, the database has lost commits. A new store gets its mark, with the number 0,
// before its database. So an unfinished store has a mark, too. The byte format is in format.md, "The mark".
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hearsay/result.h"

namespace hearsay::store::rocks {

// Thread-safety: one thread at a time.
class NewestMark {
 public:
  // The number of a store that is being made: nothing is acknowledged yet.
  static constexpr std::uint64_t kBeingMade = 0;

  static std::string path_in(const std::string& directory) { return directory + "/newest"; }
  // The file that becomes the mark. A crash in create() leaves this file behind.
  static std::string partial_path_in(const std::string& directory) { return path_in(directory) + ".partial"; }
  // Returns the number in the mark of the store in `directory`; nothing if there is no mark. Errors: kStoreCorrupt
  // (names the mark), kStoreFailed.
  static Result<std::optional<std::uint64_t>> read(rocksdb::Env& env, const std::string& directory);
  // Makes the mark, or replaces it, and synchronises the mark and its directory. Errors: kStoreFailed.
  static Result<NewestMark> create(rocksdb::Env& env, const std::string& directory, std::uint64_t commits);

  // Writes the number of a commit that is on the disk. Errors: kStoreFailed.
  Result<void> write(std::uint64_t commits);
  Result<void> sync();

 private:
  explicit NewestMark(std::unique_ptr<rocksdb::RandomRWFile> file) : file_(std::move(file)) {}
  std::unique_ptr<rocksdb::RandomRWFile> file_;
};

}  // namespace hearsay::store::rocks
