// A file system whose writes can be made to fail, as on a full or a dying disk, and that knows what was synchronised.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "aggregator/store/wal.h"

namespace hearsay::aggregator::tests {

enum class Fault {
  kNone,
  kNoSpace,    // an append writes nothing and fails
  kTornWrite,  // an append writes half of its bytes, up to the end of a sector, and fails
  kSync,       // an append works, but the bytes are never known to be on the disk
};

class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FaultyFileSystem() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FaultyFileSystem"; }

  // From now on the fault hits files whose names end in `suffix`, after `spared` more of their appends and syncs.
  void inject(Fault fault, const std::string& suffix, std::size_t spared = 0) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
    suffix_ = suffix;
    spared_ = spared;
  }
  // What happens to an append or a sync of this file.
  Fault next_fault(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (fault_ == Fault::kNone || !name.ends_with(suffix_)) return Fault::kNone;
    if (spared_ == 0) return fault_;
    --spared_;
    return Fault::kNone;
  }
  // To be told of a file that was synchronised.
  void synced(const std::string& name) {
    if (!name.ends_with(".log")) return;
    std::string bytes;
    if (!rocksdb::ReadFileToString(rocksdb::Env::Default(), name, &bytes).ok()) return;
    const std::lock_guard lock(mutex_);
    synced_[name] = std::move(bytes);
  }
  // The log as a power cut leaves it for certain, but for what is written later.
  std::string synced_log(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return synced_.at(name);
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* dbg) override;

 private:
  mutable std::mutex mutex_;
  Fault fault_ = Fault::kNone;
  std::string suffix_;
  std::size_t spared_ = 0;
  std::map<std::string, std::string> synced_;  // logs by path
};

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::string name, FaultyFileSystem& system)
      : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), system_(system) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* dbg) override {
    const std::uint64_t offset = target()->GetFileSize(options, dbg);
    return write(data, offset, [&](const rocksdb::Slice& bytes) { return target()->Append(bytes, options, dbg); });
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& /*info*/, rocksdb::IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }
  rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset,
                                     const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
    return write(data, offset,
                 [&](const rocksdb::Slice& bytes) { return target()->PositionedAppend(bytes, offset, options, dbg); });
  }
  rocksdb::IOStatus Truncate(std::uint64_t size, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* dbg) override {
    if (system_.next_fault(name_) != Fault::kNone) return rocksdb::IOStatus::IOError("planted");
    return target()->Truncate(size, options, dbg);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
    if (system_.next_fault(name_) != Fault::kNone) return rocksdb::IOStatus::IOError("planted");
    const rocksdb::IOStatus status = FSWritableFileOwnerWrapper::Sync(options, dbg);
    if (status.ok()) system_.synced(name_);
    return status;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
    return Sync(options, dbg);
  }

 private:
  template <class Write>
  rocksdb::IOStatus write(const rocksdb::Slice& data, std::uint64_t offset, const Write& write_bytes) {
    switch (system_.next_fault(name_)) {
      case Fault::kNoSpace:
        return rocksdb::IOStatus::NoSpace("planted");
      case Fault::kTornWrite: {
        const std::uint64_t end = (offset + data.size() / 2) / kSector * kSector;
        const rocksdb::IOStatus status = write_bytes({data.data(), end - std::min(end, offset)});
        return status.ok() ? rocksdb::IOStatus::IOError("planted") : status;
      }
      case Fault::kNone:
      case Fault::kSync:
        break;
    }
    return write_bytes(data);
  }

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

}  // namespace hearsay::aggregator::tests
