#include "aggregator/daemon/ready_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "common/base/strict_json.h"

namespace hearsay::daemon {

Result<ReadyFile> ReadyFile::claim(const std::string& path) {
  if (path.empty()) return ReadyFile(path);
  const int found = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (found < 0) return ReadyFile(path);  // there is no file, or write() will report the fault
  const bool locked = ::flock(found, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!locked) std::remove(path.c_str());
  ::close(found);
  if (locked) {
    return Error{ErrorCode::kInUse, "a running daemon has written the ready file '" + path +
                                        "'; stop that daemon, or set another ready_file"};
  }
  return ReadyFile(path);
}

ReadyFile::ReadyFile(ReadyFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

ReadyFile::~ReadyFile() { remove(); }

Result<void> ReadyFile::write(const Json& content) {
  if (path_.empty()) return {};
  const std::string temporary = path_ + ".new";
  const std::string text = content.dump() + "\n";
  descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  // On a file system without locks, the next daemon will think that this daemon was killed.
  if (descriptor_ >= 0) static_cast<void>(::flock(descriptor_, LOCK_EX | LOCK_NB));
  const bool written =
      descriptor_ >= 0 && ::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (written && std::rename(temporary.c_str(), path_.c_str()) == 0) return {};
  if (descriptor_ >= 0) {
    std::remove(temporary.c_str());
    ::close(std::exchange(descriptor_, -1));
  }
  return Error{ErrorCode::kIo, "cannot write the ready file '" + path_ + "'"};
}

void ReadyFile::remove() {
  if (descriptor_ < 0) return;
  std::remove(path_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace hearsay::daemon
