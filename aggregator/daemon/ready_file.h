// The ready file holds the daemon's ports and pid, and tells other programs that the daemon is ready.
//
// The daemon locks its ready file until it ends. So the next daemon can see whether the file belongs to a running
// daemon, or was left behind by a killed daemon.
#pragma once

#include <string>
#include <utility>

#include "common/base/json.h"
#include "hearsay/result.h"

namespace hearsay::daemon {

class ReadyFile {
 public:
  // Removes the file that a killed daemon left. If the path is empty, write() writes no file. Errors: kInUse, if a
  // running daemon has written the file.
  static Result<ReadyFile> claim(const std::string& path);
  ReadyFile(ReadyFile&& other) noexcept;
  ReadyFile& operator=(ReadyFile&&) = delete;
  ~ReadyFile();

  // Writes the file under another name and renames it, so that readers see the whole file. Errors: kIo.
  Result<void> write(const Json& content);

  // Removes the file, if write() made it.
  void remove();

 private:
  explicit ReadyFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  int descriptor_ = -1;  // of the written file; the lock lasts until the descriptor is closed
};

}  // namespace hearsay::daemon
