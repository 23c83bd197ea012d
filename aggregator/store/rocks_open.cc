// Opening the embedded store: what has to be there, and agree, before anything is answered from it.
#include <rocksdb/env.h>

#include <algorithm>

#include "aggregator/store/append.h"
#include "aggregator/store/rocks_store.h"
#include "aggregator/store/status.h"
#include "common/base/try.h"

namespace hearsay::aggregator {
namespace {

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace

Result<std::unique_ptr<Store>> open_rocks_store(const RocksStoreOptions& options) {
  HEARSAY_TRY(std::unique_ptr<Store> store, RocksStore::open(options, rocksdb::Env::Default()));
  return store;
}

Result<std::unique_ptr<RocksStore>> RocksStore::open(const RocksStoreOptions& options, rocksdb::Env* env,
                                                     std::uint64_t max_window_reports) {
  if (options.path.empty()) return Error{ErrorCode::kStoreFailed, "store: no directory given"};
  // RocksDB would make the directory before it finds nothing to read.
  if (options.read_only && !env->FileExists(options.path + "/CURRENT").ok()) {
    return Error{ErrorCode::kStoreFailed, "store: there is none in " + options.path};
  }
  std::unique_ptr<RocksStore> store(new RocksStore(options, env, max_window_reports));
  HEARSAY_CHECK_OK(store->open_database());
  HEARSAY_CHECK_OK(store->check_format());
  HEARSAY_CHECK_OK(store->check_totals());
  HEARSAY_CHECK_OK(store->load_tasks());
  HEARSAY_CHECK_OK(store->rebuild());
  store->publish_statistics();
  return store;
}

// The first format kept one key per report, in a family of its own.
Result<void> RocksStore::refuse_format_1() const {
  std::vector<std::string> families;
  if (!rocksdb::DB::ListColumnFamilies(database_options(env_.get()), path_, &families).ok()) return {};
  if (std::find(families.begin(), families.end(), "reports") == families.end()) return {};
  return Error{ErrorCode::kStoreFailed,
               "store: " + path_ + " has format 1, which this version does not read; it reads format " +
                   std::string(kFormat) +
                   ". The version that wrote it still answers from it; this one needs a new directory"};
}

Result<void> RocksStore::open_database() {
  HEARSAY_CHECK_OK(refuse_format_1());
  const rocksdb::DBOptions options = database_options(env_.get());
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      read_only_ ? rocksdb::DB::OpenForReadOnly(options, path_, family_descriptors(), &handles_, &db)
                 : rocksdb::DB::Open(options, path_, family_descriptors(), &handles_, &db);
  db_.reset(db);
  if (!status.ok()) handles_.clear();
  if (status.IsIOError() && status.ToString().find("lock file") != std::string::npos) {
    return Error{ErrorCode::kStoreFailed, "store: another process has " + path_ + " open"};
  }
  return to_result(status);
}

Result<void> RocksStore::check_format() {
  std::string format;
  const rocksdb::Status status = db_->Get({}, family(kMeta), rocksdb::Slice(kFormatKey), &format);
  if (!status.IsNotFound()) {
    HEARSAY_CHECK_OK(to_result(status));
    if (format == kFormat) return {};
    return Error{ErrorCode::kStoreFailed, "store: " + path_ + " has a format that this version does not read"};
  }
  for (std::size_t f = 0; f < kFamilies; ++f) {
    const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator({}, handles_[f]));
    entry->SeekToFirst();
    HEARSAY_CHECK_OK(to_result(entry->status()));
    if (entry->Valid()) return Error{ErrorCode::kStoreCorrupt, "store: " + path_ + " does not say its format"};
  }
  if (read_only_) return Error{ErrorCode::kStoreFailed, "store: " + path_ + " was not completely made"};
  rocksdb::WriteBatch batch;
  HEARSAY_CHECK_OK(to_result(batch.Put(family(kMeta), rocksdb::Slice(kFormatKey), rocksdb::Slice(kFormat))));
  const std::lock_guard lock(write_mutex_);
  return commit(batch, {});
}

Result<void> RocksStore::check_totals() {
  std::array<std::optional<Totals>, 2> totals;
  constexpr std::array<std::string_view, 2> kKeys = {kLastKey, kSumKey};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    std::string value;
    const rocksdb::Status status = db_->Get({}, family(kMeta), rocksdb::Slice(kKeys[i]), &value);
    if (!status.IsNotFound()) HEARSAY_CHECK_OK(to_result(status));
    totals[i] = Totals::decode(value);
  }
  if (!totals[0] || totals[0] != totals[1]) {
    return Error{ErrorCode::kStoreCorrupt, "store: " + path_ + " lacks commits that others follow"};
  }
  totals_ = *totals[0];
  std::string from;
  const rocksdb::Status status = db_->Get({}, family(kMeta), rocksdb::Slice(kIdsFromKey), &from);
  if (status.IsNotFound()) return {};
  HEARSAY_CHECK_OK(to_result(status));
  if (from.size() != kIntegerSize) return corrupt_entry("meta", kIdsFromKey);
  ids_from_ = decode_integer(from);
  return {};
}

Result<void> RocksStore::load_tasks() {
  const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator({}, family(kTasks)));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    HEARSAY_TRY(TaskRow row, decode_task(view(entry->key()), view(entry->value())));
    const TaskId id = row.stored.task.id();
    tasks_.emplace(id, TaskState{.row = std::move(row)});
  }
  HEARSAY_CHECK_OK(to_result(entry->status()));
  if (tasks_.size() == totals_.live_tasks) return {};
  return Error{ErrorCode::kStoreCorrupt, "store: " + path_ + " has " + std::to_string(tasks_.size()) +
                                             " tasks, and there were " + std::to_string(totals_.live_tasks)};
}

}  // namespace hearsay::aggregator
