// What the tests of the embedded store and of ingest share: directories, raw access, and reports.h.
#pragma once

#include <doctest/doctest.h>
#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "aggregator/store/rocks/keys.h"
#include "aggregator/store/rocks/options.h"
#include "aggregator/store/rocks/rocks.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/aggregator/store/reports.h"

namespace hearsay::store::rocks::tests {

using hearsay::tests::TemporaryDirectory;
using namespace store::tests;  // NOLINT(google-build-using-namespace)

inline std::unique_ptr<Store> open_store(const std::string& path, bool read_only = false) {
  auto store = open({.path = path, .read_only = read_only});
  if (!store) FAIL(store.error().message);
  return *std::move(store);
}

inline ErrorCode open_error(const std::string& path) {
  const auto store = open({.path = path});
  REQUIRE_FALSE(store);
  return store.error().code;
}

// Gives raw access to the database of a store. Tests plant entries that the store would not write.
class RawDatabase {
 public:
  explicit RawDatabase(const std::string& path) {
    rocksdb::DB* db = nullptr;
    const rocksdb::DBOptions options = database_options(rocksdb::Env::Default());
    const rocksdb::Status status = rocksdb::DB::Open(options, path, family_descriptors(), &handles_, &db);
    if (!status.ok()) FAIL(status.ToString());
    db_.reset(db);
  }
  ~RawDatabase() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;

  rocksdb::DB& operator*() { return *db_; }
  rocksdb::DB* operator->() { return db_.get(); }
  rocksdb::ColumnFamilyHandle* family(Family f) { return handles_[f]; }

 private:
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

}  // namespace hearsay::store::rocks::tests
