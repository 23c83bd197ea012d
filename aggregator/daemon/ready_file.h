// Tells other programs that the daemon serves: a file with the daemon's ports and pid.
//
// The daemon locks its ready file until it ends. So the next daemon can tell the file of a daemon that was killed,
// which is wrong, from the file of a daemon that runs, which must stay.
#pragma once

#include <string>
#include <utility>

#include "common/base/json.h"
#include "hearsay/result.h"

namespace hearsay::daemon {

class ReadyFile {
 public:
  // An empty path means no file. Removes the file that a killed daemon left.
  // Errors: kInUse, if a running daemon has written the file.
  static Result<ReadyFile> claim(const std::string& path);
  ReadyFile(ReadyFile&& other) noexcept;
  ReadyFile& operator=(ReadyFile&&) = delete;
  ~ReadyFile();

  // Writes the file. The file is renamed into place, so a reader never sees half of it.
  // Errors: kIo.
  Result<void> write(const Json& content);

  // Removes the file, if write() made it.
  void remove();

 private:
  explicit ReadyFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  int descriptor_ = -1;  // of the written file, for its lock
};

}  // namespace hearsay::daemon
