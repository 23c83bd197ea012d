#include "tests/support/failing_vfs.h"

#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace hearsay::tests {

// A write or a truncation that is not synced yet.
struct Change {
  std::uint64_t offset;
  std::string bytes;
  bool truncates;
};

struct OnDisk {
  bool is_there = false;  // the file's directory entry would survive a loss of power
  std::string durable;
  std::vector<Change> unsynced;
};

namespace {

void carry_out(const Change& change, std::string& content) {
  if (change.truncates) {
    content.resize(change.offset);
    return;
  }
  content.resize(std::max<std::size_t>(content.size(), change.offset + change.bytes.size()));
  content.replace(change.offset, change.bytes.size(), change.bytes);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

struct FailingDisk::State {
  sqlite3_vfs vfs{};
  sqlite3_vfs* real = nullptr;
  Failure failure{};
  std::uint64_t operations = 0;
  std::map<std::string, OnDisk> files;

  // Counts the operation. Returns SQLITE_OK, or the error with which the operation must fail.
  int operate(int code, bool writes) {
    ++operations;
    const bool fails = failure.at != 0 && operations >= failure.at && operations - failure.at < failure.times;
    if (!fails) return SQLITE_OK;
    return failure.is_full && writes ? SQLITE_FULL : code;
  }
};

namespace {

struct File {
  sqlite3_file base;
  FailingDisk::State* state;
  OnDisk* content;  // null for temporary files
  sqlite3_file* real;
};

File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
sqlite3_file* real(sqlite3_file* file) { return of(file).real; }

int close_file(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }

int read_from(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, size, offset);
}

int write_to(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const int code = of(file).state->operate(SQLITE_IOERR_WRITE, true);
  // A write that fails still writes half of its bytes, as a real disk may.
  const int written = code == SQLITE_OK ? size : size / 2;
  if (of(file).content != nullptr) {
    std::string change(static_cast<const char*>(bytes), static_cast<std::size_t>(written));
    of(file).content->unsynced.push_back({static_cast<std::uint64_t>(offset), std::move(change), false});
  }
  const int result = real(file)->pMethods->xWrite(real(file), bytes, written, offset);
  return code == SQLITE_OK ? result : code;
}

int truncate_to(sqlite3_file* file, sqlite3_int64 size) {
  const int code = of(file).state->operate(SQLITE_IOERR_TRUNCATE, false);
  if (code != SQLITE_OK) return code;
  if (of(file).content != nullptr) {
    of(file).content->unsynced.push_back({static_cast<std::uint64_t>(size), {}, true});
  }
  return real(file)->pMethods->xTruncate(real(file), size);
}

int sync_file(sqlite3_file* file, int) {
  const int code = of(file).state->operate(SQLITE_IOERR_FSYNC, false);
  if (code != SQLITE_OK || of(file).content == nullptr) return code;
  OnDisk& content = *of(file).content;
  for (const Change& change : content.unsynced) carry_out(change, content.durable);
  content.unsynced.clear();
  content.is_there = true;
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) { return real(file)->pMethods->xFileSize(real(file), size); }
int lock_file(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock_file(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int is_reserved(sqlite3_file* file, int* reserved) {
  return real(file)->pMethods->xCheckReservedLock(real(file), reserved);
}
int control_file(sqlite3_file* file, int operation, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
// This disk promises nothing about atomic or ordered writes.
int characteristics(sqlite3_file*) { return 0; }

constexpr sqlite3_io_methods kMethods{
    1,         close_file,  read_from,   write_to,     truncate_to, sync_file,       file_size,
    lock_file, unlock_file, is_reserved, control_file, sector_size, characteristics, nullptr,
    nullptr,   nullptr,     nullptr,     nullptr,      nullptr};

FailingDisk::State& state_of(sqlite3_vfs* vfs) { return *static_cast<FailingDisk::State*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* actual) {
  FailingDisk::State& state = state_of(vfs);
  File& opened = of(file);
  opened.state = &state;
  opened.real = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
  opened.content = nullptr;
  if (name != nullptr) {
    const bool was_there = std::filesystem::exists(name);
    const auto [found, is_new] = state.files.try_emplace(name);
    if (is_new && was_there) found->second = {true, read_file(name), {}};
    opened.content = &found->second;
  }
  const int code = state.real->xOpen(state.real, name, opened.real, flags, actual);
  opened.base.pMethods = code == SQLITE_OK ? &kMethods : nullptr;
  return code;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync) {
  FailingDisk::State& state = state_of(vfs);
  const int code = state.operate(SQLITE_IOERR_DELETE, false);
  if (code != SQLITE_OK) return code;
  OnDisk& content = state.files[name];
  content.unsynced.push_back({0, {}, true});
  if (sync != 0) content = {};
  return state.real->xDelete(state.real, name, 0);
}

int access_file(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  return state_of(vfs).real->xAccess(state_of(vfs).real, name, flags, result);
}
int full_name(sqlite3_vfs* vfs, const char* name, int size, char* full) {
  return state_of(vfs).real->xFullPathname(state_of(vfs).real, name, size, full);
}

}  // namespace

FailingDisk::FailingDisk() : state_(std::make_unique<State>()) {
  state_->real = sqlite3_vfs_find(nullptr);
  state_->vfs = *state_->real;  // calls without a file go to the real file system
  state_->vfs.iVersion = 1;
  state_->vfs.szOsFile = static_cast<int>(sizeof(File)) + state_->real->szOsFile;
  state_->vfs.zName = "failing";
  state_->vfs.pAppData = state_.get();
  state_->vfs.xOpen = open_file;
  state_->vfs.xDelete = delete_file;
  state_->vfs.xAccess = access_file;
  state_->vfs.xFullPathname = full_name;
  sqlite3_vfs_register(&state_->vfs, 1);
}

FailingDisk::~FailingDisk() {
  sqlite3_vfs_unregister(&state_->vfs);
  sqlite3_vfs_register(state_->real, 1);
}

void FailingDisk::fail(const Failure& failure) {
  state_->failure = failure;
  state_->operations = 0;
}

std::uint64_t FailingDisk::operations() const { return state_->operations; }

void FailingDisk::lose_power(unsigned seed) {
  std::mt19937 random(seed);
  for (auto& [name, content] : state_->files) {
    for (Change& change : content.unsynced) {
      if (seed == 0 || random() % 2 == 0) continue;
      if (!change.truncates && random() % 4 == 0) change.bytes.resize(change.bytes.size() / 2);
      carry_out(change, content.durable);
    }
    content.unsynced.clear();
    if (content.is_there || (seed != 0 && random() % 2 == 0)) {
      std::ofstream(name, std::ios::binary | std::ios::trunc) << content.durable;
    } else {
      std::filesystem::remove(name);
    }
  }
}

}  // namespace hearsay::tests
