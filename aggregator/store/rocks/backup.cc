// Makes and restores backups with RocksDB's backup engine. The engine copies only files that the backup directory does
// not hold yet, and keeps checksums of the files.
#include <rocksdb/utilities/backup_engine.h>

#include <filesystem>
#include <system_error>

#include "aggregator/store/rocks/rocks_store.h"
#include "aggregator/store/rocks/status.h"
#include "common/base/try.h"

namespace hearsay::store::rocks {
namespace {

BackupInfo info_of(const rocksdb::BackupInfo& info) {
  return {info.backup_id, static_cast<UnixSeconds>(info.timestamp), info.size};
}

struct Backups {
  std::unique_ptr<rocksdb::BackupEngineReadOnly> engine;
  std::vector<rocksdb::BackupInfo> whole;  // oldest first
  std::vector<rocksdb::BackupID> damaged;  // at least one file is damaged or missing
};

Error damaged_backup(rocksdb::BackupID number, const std::string& directory) {
  return corrupt("backup " + std::to_string(number) + " in " + directory +
                 " is damaged; other backups there may be whole: ask for a backup by its number");
}

Result<Backups> open_backups(const std::string& directory, bool with_files) {
  const Error none = failed("there is no backup in " + directory);
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory + "/meta", ignored)) return none;
  // A database opened from a backup needs an absolute path.
  const std::string absolute = std::filesystem::absolute(directory, ignored).lexically_normal().string();
  rocksdb::BackupEngineReadOnly* opened = nullptr;
  HEARSAY_CHECK_OK(to_result(
      rocksdb::BackupEngineReadOnly::Open(rocksdb::BackupEngineOptions(absolute), rocksdb::Env::Default(), &opened)));
  Backups backups{std::unique_ptr<rocksdb::BackupEngineReadOnly>(opened), {}, {}};
  backups.engine->GetCorruptedBackups(&backups.damaged);
  backups.engine->GetBackupInfo(&backups.whole, with_files);
  if (backups.whole.empty() && backups.damaged.empty()) return none;
  return backups;
}

Result<rocksdb::BackupInfo> choose(const Backups& backups, const std::string& directory, std::uint32_t number) {
  // A damaged backup must not make the others unusable. But if the newest backup is damaged, an older backup must not
  // count as the newest.
  for (const rocksdb::BackupID damaged : backups.damaged) {
    const bool newest = backups.whole.empty() || damaged > backups.whole.back().backup_id;
    if (damaged == number || (number == 0 && newest)) return damaged_backup(damaged, directory);
  }
  if (number == 0) return backups.whole.back();
  for (const rocksdb::BackupInfo& info : backups.whole) {
    if (info.backup_id == number) return info;
  }
  return failed("there is no backup " + std::to_string(number) + " in " + directory);
}

Result<void> check_files(const Backups& backups, std::uint32_t number) {
  constexpr bool kWithChecksums = true;
  const rocksdb::Status status = backups.engine->VerifyBackup(number, kWithChecksums);
  if (status.ok()) return {};
  return corrupt("backup " + std::to_string(number) + ": " + status.ToString());
}

}  // namespace

Result<BackupInfo> RocksStore::backup(const std::string& directory, std::uint32_t keep,
                                      const std::stop_token& stop) const {
  if (auto error = failure()) return *std::move(error);
  HEARSAY_CHECK_OK(is_in_place());  // the engine copies flushed tables by path
  rocksdb::BackupEngineOptions options(directory, env_);
  // A restored store has files that another database wrote, perhaps under numbers that this backup already has.
  options.share_files_with_checksum = true;
  rocksdb::BackupEngine* opened = nullptr;
  HEARSAY_CHECK_OK(to_result(rocksdb::BackupEngine::Open(options, env_, &opened)));
  const std::unique_ptr<rocksdb::BackupEngine> engine(opened);
  rocksdb::BackupID number = 0;
  // The backup has tables but no log. The checksums of a table show whether the table is whole. Only the mark shows
  // whether a log is whole.
  rocksdb::CreateBackupOptions from_tables;
  from_tables.flush_before_backup = true;
  {
    const std::stop_callback stopped(stop, [&] { engine->StopBackup(); });
    const rocksdb::Status status = engine->CreateNewBackup(from_tables, db_.get(), &number);
    if (status.IsIncomplete() && stop.stop_requested()) {
      return Error{ErrorCode::kCancelled, "the backup was stopped before it was whole"};
    }
    HEARSAY_CHECK_OK(to_result(status));
  }
  if (keep != 0) HEARSAY_CHECK_OK(to_result(engine->PurgeOldBackups(keep)));
  rocksdb::BackupInfo info;
  HEARSAY_CHECK_OK(to_result(engine->GetBackupInfo(number, &info)));
  return info_of(info);
}

Result<BackupInfo> restore_backup(const std::string& directory, const std::string& path, std::uint32_t number) {
  HEARSAY_TRY(const Backups backups, open_backups(directory, false));
  HEARSAY_TRY(const rocksdb::BackupInfo info, choose(backups, directory, number));
  HEARSAY_CHECK_OK(check_files(backups, info.backup_id));
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_empty(path, error)) {
    return failed(path + " exists and is not empty");
  }
  // Until the restored store is whole, its directory has another name. So an interrupted restore does not look like a
  // store.
  std::filesystem::path whole(path);
  if (!whole.has_filename()) whole = whole.parent_path();  // a path such as "store/"
  const std::string partial = whole.string() + ".partial";
  std::filesystem::remove_all(partial, error);
  HEARSAY_CHECK_OK(to_result(backups.engine->RestoreDBFromBackup(info.backup_id, partial, partial)));
  rocksdb::Env* const env = rocksdb::Env::Default();
  HEARSAY_TRY(const auto restored, RocksStore::open_backup(partial, env));
  HEARSAY_CHECK_OK(NewestMark::create(*env, partial, restored->statistics().commits));
  std::filesystem::rename(partial, whole, error);
  if (error) return failed("cannot make " + path + ": " + error.message());
  return info_of(info);
}

Result<BackupInfo> newest_backup(const std::string& directory) {
  HEARSAY_TRY(const Backups backups, open_backups(directory, false));
  HEARSAY_TRY(const rocksdb::BackupInfo info, choose(backups, directory, 0));
  return info_of(info);
}

Result<VerifyResult> verify_backup(const std::string& directory, std::uint32_t number) {
  HEARSAY_TRY(const Backups backups, open_backups(directory, true));
  HEARSAY_TRY(const rocksdb::BackupInfo info, choose(backups, directory, number));
  HEARSAY_CHECK_OK(check_files(backups, info.backup_id));
  HEARSAY_TRY(const auto store, RocksStore::open_backup(info.name_for_open, info.env_for_open.get()));
  return verify(*store);
}

}  // namespace hearsay::store::rocks
