// A file system whose writes can be made to fail, as on a full or dying disk.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <memory>
#include <mutex>
#include <string>

namespace hearsay::store::rocks::tests {

enum class Fault {
  kNone,
  kNoSpace,    // an append writes nothing and fails
  kTornWrite,  // an append writes half of its bytes and fails
  kSync,       // an append works, but a sync fails
};

class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FaultyFileSystem() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyFileSystem"; }

  // Gives files whose names end in `suffix` the fault. Before the fault, `spared` more appends and syncs succeed.
  void inject(Fault fault, const std::string& suffix, std::size_t spared = 0) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
    suffix_ = suffix;
    spared_ = spared;
  }
  Fault next_fault(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (fault_ == Fault::kNone || !name.ends_with(suffix_)) return Fault::kNone;
    if (spared_ == 0) return fault_;
    --spared_;
    return Fault::kNone;
  }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* dbg) override;

 private:
  mutable std::mutex mutex_;
  Fault fault_ = Fault::kNone;
  std::string suffix_;
  std::size_t spared_ = 0;
};

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::string name, FaultyFileSystem& system)
      : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), system_(system) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* dbg) override {
    switch (system_.next_fault(name_)) {
      case Fault::kNoSpace:
        return rocksdb::IOStatus::NoSpace("planted");
      case Fault::kTornWrite: {
        const rocksdb::IOStatus status = target()->Append({data.data(), data.size() / 2}, options, dbg);
        return status.ok() ? rocksdb::IOStatus::IOError("planted") : status;
      }
      case Fault::kNone:
      case Fault::kSync:
        break;
    }
    return target()->Append(data, options, dbg);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& /*info*/, rocksdb::IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
    if (system_.next_fault(name_) != Fault::kNone) return rocksdb::IOStatus::IOError("planted");
    return target()->Sync(options, dbg);
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
    return Sync(options, dbg);
  }

 private:
  const std::string name_;
  FaultyFileSystem& system_;
};

inline rocksdb::IOStatus FaultyFileSystem::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                                                           rocksdb::IODebugContext* dbg) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  const rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, &file, dbg);
  if (status.ok()) *result = std::make_unique<FaultyFile>(std::move(file), name, *this);
  return status;
}

}  // namespace hearsay::store::rocks::tests
