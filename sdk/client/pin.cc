#include "sdk/client/pin.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/base/try.h"

namespace hearsay::sdk {
namespace {

Error pin_error(const std::string& file, int error) {
  return {ErrorCode::kIo, "cannot write the pin file '" + file + "': " + std::strerror(error)};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

Result<void> compare_pin(const std::string& file, const std::string& id) {
  std::ifstream pinned(file);
  std::string first;
  if (!(pinned >> first)) return Error{ErrorCode::kIo, "cannot read the pin file '" + file + "'"};
  if (first != id) return Error{ErrorCode::kTaskMismatch, "the task is not the one pinned in '" + file + "'"};
  return {};
}

Result<void> write_through(const std::string& file, const std::string& text) {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!out) return pin_error(file, errno);
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(out.number(), text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) return pin_error(file, errno);
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  if (::fsync(out.number()) != 0) return pin_error(file, errno);
  return {};
}

// Only one writer at a time gets here. A lock on the directory leaves no file behind, and hard links, the other way to
// make a file that must not exist yet, are forbidden to apps on Android.
Result<void> make_pin(const std::string& file, const std::string& id, int directory) {
  const std::string temporary = file + ".new";
  const auto written = write_through(temporary, id + '\n');
  if (written && std::rename(temporary.c_str(), file.c_str()) == 0) {
    if (::fsync(directory) != 0) return pin_error(file, errno);
    return {};
  }
  const Error error = written ? pin_error(file, errno) : written.error();
  ::unlink(temporary.c_str());
  return error;
}

}  // namespace

Result<void> check_pin(const std::string& file, const TaskId& task) {
  if (file.empty()) return {};
  const std::string id = task.to_string();
  if (::access(file.c_str(), F_OK) == 0) return compare_pin(file, id);
  std::string directory = std::filesystem::path(file).parent_path().string();
  if (directory.empty()) directory = ".";
  const Descriptor lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) return pin_error(file, errno);
  while (::flock(lock.number(), LOCK_EX) != 0) {
    if (errno != EINTR) return pin_error(file, errno);
  }
  if (::access(file.c_str(), F_OK) == 0) return compare_pin(file, id);
  if (errno != ENOENT) return pin_error(file, errno);
  return make_pin(file, id, lock.number());
}

}  // namespace hearsay::sdk
