#include "sdk/client/pin.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

#include "common/base/try.h"

namespace hearsay::sdk {
namespace {

Error pin_error(const std::string& file, int error) {
  return {ErrorCode::kIo, "cannot write the pin file '" + file + "': " + std::strerror(error)};
}

Error not_a_pin(const std::string& file) {
  return {ErrorCode::kIo, "the pin file '" + file + "' cannot be read, or does not hold just one task's id"};
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

// Returns the first bytes of a regular file: more bytes than a pin has. Opening or reading a file of another kind could
// take for ever.
Result<std::string> read_start(const std::string& file) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!in || ::fstat(in.number(), &status) != 0 || !S_ISREG(status.st_mode)) return not_a_pin(file);
  std::array<char, 128> part{};
  std::string text;
  while (text.size() < part.size()) {
    const ssize_t count = ::read(in.number(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return not_a_pin(file);
    if (count == 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

Result<void> compare_pin(const std::string& file, const TaskId& task) {
  HEARSAY_TRY(std::string text, read_start(file));
  if (text.ends_with('\n')) text.pop_back();
  const auto pinned = TaskId::parse(text);
  if (!pinned) return not_a_pin(file);
  if (*pinned != task) return Error{ErrorCode::kTaskMismatch, "the task is not the one pinned in '" + file + "'"};
  return {};
}

// Removes the file and makes it anew, because the name may be a link to another file.
Result<void> write_through(const std::string& file, const std::string& text) {
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) return pin_error(file, errno);
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!out) return pin_error(file, errno);
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(out.number(), text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) return pin_error(file, errno);
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  if (::fsync(out.number()) != 0) return pin_error(file, errno);
  return {};
}

// The caller holds the lock on the directory, so only one process at a time writes the file. A hard link would need no
// lock, but apps on Android may not make hard links.
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

// Waits for at most three seconds, since anybody who may read the directory could hold the lock for ever.
Result<void> lock_directory(const std::string& file, int directory) {
  constexpr std::chrono::milliseconds kPause{20};
  constexpr int kAttempts = 150;  // three seconds
  for (int i = 0; ::flock(directory, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EINTR && errno != EWOULDBLOCK) return pin_error(file, errno);
    if (i == kAttempts) return pin_error(file, EWOULDBLOCK);
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

}  // namespace

Result<void> check_pin(const std::string& file, const TaskId& task) {
  if (file.empty()) return {};
  if (file.find('\0') != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument, "the name of the pin file holds a NUL character"};
  }
  if (::access(file.c_str(), F_OK) == 0) return compare_pin(file, task);
  std::string directory = std::filesystem::path(file).parent_path().string();
  if (directory.empty()) directory = ".";
  const Descriptor lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) return pin_error(file, errno);
  HEARSAY_CHECK_OK(lock_directory(file, lock.number()));
  if (::access(file.c_str(), F_OK) == 0) return compare_pin(file, task);
  if (errno != ENOENT) return pin_error(file, errno);
  return make_pin(file, task.to_string(), lock.number());
}

}  // namespace hearsay::sdk
