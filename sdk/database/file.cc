#include "sdk/database/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "common/base/try.h"

namespace hearsay::sdk {
namespace {

// A file of this name stands beside a database that has no tables yet.
std::string marker_of(const std::string& file) { return file + "-new"; }

Error failed(const std::string& what, const std::string& file, int number) {
  return {ErrorCode::kIo, "cannot " + what + " '" + file + "': " + std::generic_category().message(number)};
}

// Only the file itself must not be a link: on some platforms the directories of apps lie behind links.
Result<std::string> without_links(const std::string& file) {
  const std::filesystem::path path(file);
  std::error_code code;
  const std::filesystem::path directory =
      std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), code);
  if (code) return Error{ErrorCode::kIo, "there is no directory for '" + file + "': " + code.message()};
  if (!path.has_filename()) return Error{ErrorCode::kIo, "'" + file + "' names no file"};
  return (directory / path.filename()).string();
}

Result<void> sync_directory(const std::string& file) {
  const std::string directory = std::filesystem::path(file).parent_path().string();
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failed("open", directory, errno);
  const int result = ::fsync(descriptor);
  const int number = errno;
  ::close(descriptor);
  if (result != 0 && number != EINVAL) return failed("sync", directory, number);  // EINVAL: nothing to sync there
  return {};
}

// Makes an empty file, if there is none.
Result<void> make_empty(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno == EEXIST ? Result<void>() : failed("make", file, errno);
  const int number = ::fchmod(descriptor, 0600) == 0 ? 0 : errno;  // the umask may have taken more away
  ::close(descriptor);
  if (number != 0) return failed("make", file, number);
  return {};
}

Result<bool> exists(const std::string& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return Error{ErrorCode::kIo, "'" + file + "' is no regular file"};
    return true;
  }
  if (errno == ENOENT) return false;
  return failed("look at", file, errno);
}

// Closing a descriptor of a file ends all locks that the process has on the file, those of SQLite too. So no thread
// makes a file while another one may open it.
std::mutex& opening() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

Result<OpenedDatabase> open_database(const std::string& name) {
  HEARSAY_TRY(const std::string file, without_links(name));
  const std::lock_guard lock(opening());
  HEARSAY_TRY(const bool there, exists(file));
  if (!there) {
    HEARSAY_CHECK_OK(make_empty(marker_of(file)));
    HEARSAY_CHECK_OK(sync_directory(file));
    HEARSAY_CHECK_OK(make_empty(file));
    HEARSAY_CHECK_OK(sync_directory(file));
  }
  HEARSAY_TRY(Database database, Database::open(file));
  HEARSAY_TRY(const std::int64_t tables, database.number("SELECT count(*) FROM sqlite_master"));
  HEARSAY_TRY(const bool unfinished, exists(marker_of(file)));
  if (tables == 0 && !unfinished) return database.damaged("the file is empty");
  return OpenedDatabase{std::move(database), tables == 0};
}

Result<void> finish_new(const std::string& name) {
  HEARSAY_TRY(const std::string file, without_links(name));
  if (::unlink(marker_of(file).c_str()) == 0) return sync_directory(file);
  if (errno == ENOENT) return {};
  return failed("remove", marker_of(file), errno);
}

}  // namespace hearsay::sdk
