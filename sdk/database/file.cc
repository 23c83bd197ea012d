#include "sdk/database/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include "common/base/try.h"

namespace hearsay::sdk {
namespace {

// The name of the marker: an empty file beside a database that has no tables yet.
std::string marker_of(const std::string& file) { return file + "-new"; }

Error failed(const std::string& what, const std::string& file, int number) {
  return {ErrorCode::kIo, "cannot " + what + " '" + file + "': " + std::generic_category().message(number)};
}

Result<void> sync_directory(const std::string& file) {
  const std::string directory = std::filesystem::path(file).parent_path().string();
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failed("open", directory, errno);
  const int result = ::fsync(descriptor);
  const int number = errno;
  ::close(descriptor);
  // EINVAL: this file system cannot sync a directory.
  if (result != 0 && number != EINVAL) return failed("sync", directory, number);
  return {};
}

Result<void> make_empty(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno == EEXIST ? Result<void>() : failed("make", file, errno);
  const int number = ::fchmod(descriptor, 0600) == 0 ? 0 : errno;  // the umask may have removed rights of the owner
  ::close(descriptor);
  if (number != 0) return failed("make", file, number);
  return {};
}

Result<std::optional<struct stat>> look_at(const std::string& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) == 0) return std::optional(status);
  if (errno == ENOENT) return std::optional<struct stat>();
  return failed("look at", file, errno);
}

// Looks for a database's file. Refuses a file with two names: SQLite would look for a journal under one name only, and
// could miss the journal of the other name.
Result<std::optional<FileIdentity>> find(const std::string& file) {
  HEARSAY_TRY(const auto status, look_at(file));
  if (!status) return std::optional<FileIdentity>();
  if (!S_ISREG(status->st_mode)) return Error{ErrorCode::kIo, "'" + file + "' is no regular file"};
  if (status->st_nlink > 1)
    return Error{ErrorCode::kIo, "'" + file + "' has a second name (a hard link); remove that name"};
  return std::optional(FileIdentity{status->st_dev, status->st_ino});
}

Result<bool> is_marked(const std::string& file) {
  HEARSAY_TRY(const auto status, look_at(marker_of(file)));
  return status && S_ISREG(status->st_mode) && status->st_size == 0;
}

Result<void> make_database(const std::string& file) {
  HEARSAY_CHECK_OK(make_empty(marker_of(file)));
  HEARSAY_TRY(const bool marked, is_marked(file));
  if (!marked) {
    return Error{ErrorCode::kIo, "'" + marker_of(file) + "' is in the way of a new ledger: move or remove that file"};
  }
  HEARSAY_CHECK_OK(sync_directory(file));
  HEARSAY_CHECK_OK(make_empty(file));
  return sync_directory(file);
}

// A thread holds this mutex while it makes or opens a file. When a process closes any descriptor of a file, the process
// loses all its locks on the file, also those of SQLite. So no thread may make a file while another thread opens the
// file.
std::mutex& opening() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

// Follows links in the directory's path, because on some platforms the directories of apps lie behind links. Only the
// file itself must not be a link.
Result<std::string> absolute_path(const std::string& name) {
  if (name.find('\0') != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument, "the name of the ledger's file holds a NUL character"};
  }
  for (const std::string_view end : {"-new", "-journal", "-wal", "-shm"}) {
    if (!name.ends_with(end)) continue;
    return Error{ErrorCode::kInvalidArgument, "the name of a ledger's file must not end in '" + std::string(end) + "'"};
  }
  const std::filesystem::path path(name);
  std::error_code code;
  const std::filesystem::path directory =
      std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), code);
  if (code) return Error{ErrorCode::kIo, "there is no directory for '" + name + "': " + code.message()};
  if (!path.has_filename()) return Error{ErrorCode::kIo, "'" + name + "' names no file"};
  return (directory / path.filename()).string();
}

Result<OpenedDatabase> open_database(const std::string& path, IfMissing if_missing) {
  const std::lock_guard lock(opening());
  HEARSAY_TRY(const auto there, find(path));
  if (!there) {
    if (if_missing == IfMissing::kRefuse) return Error{ErrorCode::kIo, "there is no file '" + path + "'"};
    HEARSAY_CHECK_OK(make_database(path));
  }
  HEARSAY_TRY(const bool unfinished, is_marked(path));
  HEARSAY_TRY(Database database, Database::open(path, unfinished));
  HEARSAY_TRY(const std::int64_t tables, database.number("SELECT count(*) FROM sqlite_master"));
  if (tables == 0 && !unfinished) return database.damaged("the file is empty");
  // If another file has taken the name since Database::open(), Database::begin() returns an error.
  HEARSAY_TRY(const auto opened, find(path));
  if (!opened) return Error{ErrorCode::kIo, "the ledger's file was moved or removed"};
  return OpenedDatabase{std::move(database), tables == 0, *opened};
}

Result<void> finish_new(const std::string& path) {
  HEARSAY_TRY(const bool unfinished, is_marked(path));
  if (!unfinished) return {};
  if (::unlink(marker_of(path).c_str()) == 0 || errno == ENOENT) return sync_directory(path);
  return failed("remove", marker_of(path), errno);
}

}  // namespace hearsay::sdk
