// Opens the embedded store. Before the store answers anything, checks that its files are there and agree.
#include <rocksdb/env.h>
#include <rocksdb/listener.h>

#include <algorithm>
#include <vector>

#include "aggregator/store/rocks/damage.h"
#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "aggregator/tally/tally.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

// Notes that RocksDB has begun another log.
class Rotation final : public rocksdb::EventListener {
 public:
  explicit Rotation(std::shared_ptr<std::atomic<bool>> rotated) : rotated_(std::move(rotated)) {}
  void OnMemTableSealed(const rocksdb::MemTableInfo& /*info*/) override { *rotated_ = true; }

 private:
  std::shared_ptr<std::atomic<bool>> rotated_;
};

// Takes RocksDB's lock for a moment, because RocksDB itself takes the lock only after the store was examined.
Result<void> check_unlocked(rocksdb::Env* env, const std::string& path) {
  rocksdb::FileLock* lock = nullptr;
  if (!env->LockFile(path + "/LOCK", &lock).ok()) {
    return failed("another process has " + path + " open");
  }
  return to_result(env->UnlockFile(lock));
}

// Returns true if the directory is missing, or holds at most an unfinished mark. The folder lost+found, which the root
// of a file system has, does not count.
Result<bool> is_empty(rocksdb::Env* env, const std::string& path) {
  std::vector<std::string> names;
  const rocksdb::Status status = env->GetChildren(path, &names);
  if (status.IsNotFound()) return true;
  HEARSAY_CHECK_OK(to_result(status));
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == "lost+found" || path + "/" + name == NewestMark::partial_path_in(path);
  });
}

}  // namespace

Result<std::unique_ptr<Store>> open(const Options& options) {
  HEARSAY_TRY(std::unique_ptr<Store> store, RocksStore::open(options, rocksdb::Env::Default()));
  return store;
}

Result<std::unique_ptr<RocksStore>> RocksStore::open(const Options& options, rocksdb::Env* env,
                                                     std::uint64_t max_window_reports) {
  if (options.path.empty()) return failed("the store's directory is not given");
  std::unique_ptr<RocksStore> store(new RocksStore(options, env, max_window_reports));
  HEARSAY_TRY(const std::optional<std::uint64_t> newest, NewestMark::read(*env, options.path));
  const bool exists = env->FileExists(options.path + "/CURRENT").ok();
  const bool being_made = newest == NewestMark::kBeingMade;
  if (!exists && !being_made) {
    HEARSAY_TRY(const bool empty, is_empty(env, options.path));
    if (newest || !empty) {
      return corrupt(options.path + "/CURRENT is missing; a new store is made in an empty directory only");
    }
  }
  if (options.read_only && !exists) return failed("there is no store in " + options.path);
  bool made = false;
  if (exists) {
    if (!options.read_only) HEARSAY_CHECK_OK(check_unlocked(env, options.path));
    // The database is opened for reading first. If the database were opened for writing, RocksDB would remove the files
    // that a damaged MANIFEST does not name.
    HEARSAY_TRY(made, store->find_store(rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords, being_made));
    if (made) HEARSAY_CHECK_OK(store->check_newest(newest));
  }
  if (!options.read_only) {
    HEARSAY_CHECK_OK(store->open_for_writing(made));
  } else if (!made) {
    return failed(options.path + " was not completely made");
  }
  HEARSAY_CHECK_OK(store->load());
  return store;
}

Result<std::unique_ptr<RocksStore>> RocksStore::open_backup(const std::string& path, rocksdb::Env* env) {
  const Options options{.path = path, .read_only = true};
  std::unique_ptr<RocksStore> store(new RocksStore(options, env, tally::Tally::kMaxReports));
  HEARSAY_CHECK_OK(store->find_store(rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords, false));
  HEARSAY_CHECK_OK(store->load());
  return store;
}

Result<bool> RocksStore::find_store(rocksdb::WALRecoveryMode mode, bool being_made) {
  HEARSAY_TRY(const bool complete, has_all_families(being_made));
  if (!complete) return false;
  HEARSAY_CHECK_OK(open_database(true, mode));
  HEARSAY_TRY(const bool says_format, read_format(being_made));
  if (!says_format) return false;
  HEARSAY_CHECK_OK(check_totals());
  return true;
}

Error RocksStore::other_format(const std::string& format) const {
  const bool is_number = format.size() == 1 && format[0] >= '1' && format[0] <= '9';
  return failed(path_ + " has " + (is_number ? "format " + format : "a format") +
                ", which this version does not read; this version reads format " + std::string(kFormat) +
                ". Use the version that wrote the store, or begin a store in a new directory");
}

// Returns false if families are missing because a crash interrupted the making of the store. Such a store has no
// reports.
Result<bool> RocksStore::has_all_families(bool being_made) const {
  std::vector<std::string> families;
  const rocksdb::Status status = rocksdb::DB::ListColumnFamilies(database_options(env_), path_, &families);
  if (!status.ok()) return name_damage(status, env_, path_);
  // The first format kept one key for each report, in a family of its own.
  if (std::find(families.begin(), families.end(), "reports") != families.end()) return other_format("1");
  if (families.size() == kFamilies) return true;
  if (being_made) return false;
  return corrupt(current_manifest(env_, path_) + " names " + std::to_string(families.size()) + " of " +
                 std::to_string(std::size_t{kFamilies}) + " families: its end is damaged");
}

Result<void> RocksStore::open_database(bool read_only, rocksdb::WALRecoveryMode mode) {
  rocksdb::DBOptions options = database_options(env_);
  options.wal_recovery_mode = mode;
  // A mode that gives up the log's end must also accept logs that have become shorter.
  options.track_and_verify_wals_in_manifest = mode != rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  if (!read_only) options.listeners.push_back(std::make_shared<Rotation>(rotated_));
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      read_only ? rocksdb::DB::OpenForReadOnly(options, path_, family_descriptors(), &handles_, &db)
                : rocksdb::DB::Open(options, path_, family_descriptors(), &handles_, &db);
  db_.reset(db);
  if (!status.ok()) {
    handles_.clear();
    return name_damage(status, env_, path_);
  }
  return {};
}

void RocksStore::close_database() {
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    // Fails only for a handle of another database.
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  handles_.clear();
  db_.reset();
}

Result<std::optional<std::string>> RocksStore::read_meta(std::string_view key) const {
  std::string value;
  const rocksdb::Status status = db_->Get({}, family(kMeta), rocksdb::Slice(key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) return name_damage(status, env_, path_);
  return std::optional(std::move(value));
}

Result<bool> RocksStore::read_format(bool being_made) {
  HEARSAY_TRY(const std::optional<std::string> format, read_meta(kFormatKey));
  is_of_format_before_ = format == kFormatBefore;
  if (format) return *format == kFormat || is_of_format_before_ ? Result<bool>(true) : other_format(*format);
  for (std::size_t f = 0; f < kFamilies; ++f) {
    HEARSAY_CHECK_OK(for_each_entry(Family{f}, {}, {}, [&](std::string_view, std::string_view) -> Result<bool> {
      return lost_entries("does not say its format");
    }));
  }
  if (being_made) return false;
  const std::string log = newest_file(env_, path_, ".log");
  return corrupt(
      path_ + " is empty, and was not: " + current_manifest(env_, path_) +
      (log.empty() ? " is damaged or the newest log missing" : " or the newest log, " + log + ", is damaged"));
}

Error RocksStore::lost_entries(const std::string& what) const {
  return corrupt(path_ + " " + what + ": " + current_manifest(env_, path_) +
                 " lost its end, or a log (*.log) is damaged");
}

Result<void> RocksStore::check_newest(const std::optional<std::uint64_t>& newest) const {
  const std::string path = NewestMark::path_in(path_);
  if (!newest) {
    return corrupt(path + " is missing; `hearsay repair` can make the file anew from the database");
  }
  if (totals_.commits >= *newest) return {};
  const std::string log = newest_file(env_, path_, ".log");
  return corrupt(
      path_ + " has " + std::to_string(totals_.commits) + " commits, and " + std::to_string(*newest) +
      " were acknowledged: " + (log.empty() ? "its newest log is missing" : log + " is damaged or not the newest") +
      ", or " + current_manifest(env_, path_) + " lost its end. `hearsay repair` counts what would be lost");
}

Result<void> RocksStore::open_for_writing(bool made) {
  close_database();
  if (!made) {
    HEARSAY_CHECK_OK(to_result(env_->CreateDirIfMissing(path_)));
    HEARSAY_CHECK_OK(NewestMark::create(*env_, path_, NewestMark::kBeingMade));
  }
  HEARSAY_CHECK_OK(open_database(false, rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords));
  const std::lock_guard lock(write_mutex_);
  if (!made) {
    rocksdb::WriteBatch batch;
    HEARSAY_CHECK_OK(to_result(batch.Put(family(kMeta), rocksdb::Slice(kFormatKey), rocksdb::Slice(kFormat))));
    HEARSAY_CHECK_OK(commit(batch, {}));
  }
  if (made && is_of_format_before_) HEARSAY_CHECK_OK(bring_up_to_date());
  HEARSAY_TRY(mark_, NewestMark::create(*env_, path_, totals_.commits));
  place_ = Place::of(path_);
  return {};
}

// Clears the old ids on the disk. The start then reads the ids from the blocks.
Result<void> RocksStore::bring_up_to_date() {
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(
      to_result(batch.DeleteRange(family(kIds), std::string(1, '\0'), std::string(kIdKeySize + 1, '\xff'))));
  HEARSAY_CHECK_OK(to_result(batch.Delete(family(kMeta), rocksdb::Slice(kIdsFromKey))));
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kMeta), rocksdb::Slice(kFormatKey), rocksdb::Slice(kFormat))));
  return commit(batch, {});
}

Result<void> RocksStore::check_totals() {
  HEARSAY_TRY(const std::optional<std::string> last, read_meta(kLastKey));
  HEARSAY_TRY(const std::optional<std::string> sum, read_meta(kSumKey));
  HEARSAY_TRY(const std::optional<std::string> ids_from, read_meta(kIdsFromKey));
  const std::optional<Totals> totals = Totals::decode(last.value_or(""));
  if (!totals || last != sum) return lost_entries("lacks commits before its latest commit");
  totals_ = *totals;
  HEARSAY_TRY(const std::optional<std::string> clock, read_meta(kClockKey));
  if (ids_from && ids_from->size() != kIntegerSize) return corrupt_entry("meta", kIdsFromKey);
  if (clock && clock->size() != kIntegerSize) return corrupt_entry("meta", kClockKey);
  // In kFormatBefore, the keys of ids on the disk lack the window. So the start ignores these rows, and reads all ids
  // from the blocks.
  if (ids_from && !is_of_format_before_) ids_from_ = decode_integer(*ids_from);
  if (clock) noted_clock_ = decode_integer(*clock);
  return {};
}

Result<void> RocksStore::load_tasks() {
  HEARSAY_CHECK_OK(for_each_entry(kTasks, {}, {}, [&](std::string_view key, std::string_view value) -> Result<bool> {
    HEARSAY_TRY(TaskRow row, decode_task(key, value));
    const TaskId id = row.stored.task.id();
    tasks_.try_emplace(id, std::move(row), index_usage_);
    return true;
  }));
  if (tasks_.size() != totals_.live_tasks) {
    return lost_entries("has " + std::to_string(tasks_.size()) + " tasks, and there were " +
                        std::to_string(totals_.live_tasks));
  }
  return {};
}

Result<void> RocksStore::load() {
  HEARSAY_CHECK_OK(load_tasks());
  HEARSAY_CHECK_OK(rebuild());
  publish_statistics();
  return {};
}

}  // namespace hearsay::store::rocks
