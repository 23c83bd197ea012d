#include "aggregator/store/wal_files.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "aggregator/store/wal.h"

namespace hearsay::aggregator {
namespace {

using rocksdb::FileOptions;
using rocksdb::FSSequentialFile;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// Zeros ahead: as many as were written since the last commit without them, within these bounds, so that at most as much
// is written in vain as in earnest.
constexpr std::uint64_t kLeastAhead = 4096;
constexpr std::uint64_t kMostAhead = 256 * 1024;
// Commits from this size on make the file longer: their bytes take longer than its length.
constexpr std::size_t kLargeCommit = 64 * 1024;

using Size = std::atomic<std::uint64_t>;

class WrittenLog final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WrittenLog(std::unique_ptr<FSWritableFile>&& file, std::shared_ptr<Size> size)
      : FSWritableFileOwnerWrapper(std::move(file)), size_(std::move(size)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    bare_ = bare_ || data.size() >= kLargeCommit || has_blank_sector({data.data(), data.size()}, *size_);
    const bool over_zeros = !bare_ && !last_bare_;
    synced_ = false;
    IOStatus status = over_zeros ? zeros_to(*size_ + data.size(), options, dbg) : cut_zeros(options, dbg);
    if (status.ok()) status = target()->PositionedAppend(data, *size_, options, dbg);
    if (!status.ok()) return status;
    *size_ += data.size();
    return over_zeros ? status : end_bare(options, dbg);
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& /*info*/,
                  IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus status = target()->Sync(options, dbg);
    if (status.ok() && !synced_) {
      last_bare_ = std::exchange(bare_, false);
      synced_ = true;
    }
    return status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override { return Sync(options, dbg); }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus cut = cut_zeros(options, dbg);
    if (cut.ok()) cut = end_bare(options, dbg);
    IOStatus closed = target()->Close(options, dbg);
    return cut.ok() ? closed : cut;
  }
  std::uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override { return *size_; }

 private:
  // Makes the file a whole number of sectors with zeros from `end` on, if it does not reach that far.
  IOStatus zeros_to(std::uint64_t end, const IOOptions& options, IODebugContext* dbg) {
    if (zeros_end_ >= end) return IOStatus::OK();
    const std::uint64_t begin = std::max(zeros_end_, size_->load());
    const std::uint64_t length = std::clamp(*size_ - bare_end_, kLeastAhead, kMostAhead);
    zeros_end_ = (end + length) / kSector * kSector;
    static const std::string kZeros(kMostAhead + kLargeCommit, '\0');
    return target()->PositionedAppend({kZeros.data(), zeros_end_ - begin}, begin, options, dbg);
  }

  IOStatus cut_zeros(const IOOptions& options, IODebugContext* dbg) {
    if (zeros_end_ <= *size_) return IOStatus::OK();
    zeros_end_ = *size_;
    return target()->Truncate(*size_, options, dbg);
  }

  // Makes the file no whole number of sectors, with a zero if need be.
  IOStatus end_bare(const IOOptions& options, IODebugContext* dbg) {
    bare_end_ = zeros_end_ = *size_;
    if (*size_ % kSector != 0) return IOStatus::OK();
    ++zeros_end_;
    return target()->PositionedAppend({"", 1}, *size_, options, dbg);
  }

  const std::shared_ptr<Size> size_;  // written, without the zeros behind
  std::uint64_t zeros_end_ = 0;
  std::uint64_t bare_end_ = 0;  // of the last commit without zeros behind
  bool bare_ = false;           // the commit being written has no zeros behind
  bool last_bare_ = false;      // nor has the one before
  bool synced_ = true;          // nothing was written since
};

class ReadLog final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  ReadLog(std::unique_ptr<FSSequentialFile>&& file, std::uint64_t size)
      : FSSequentialFileOwnerWrapper(std::move(file)), left_(size) {}

  IOStatus Read(std::size_t n, const IOOptions& options, Slice* result, char* scratch, IODebugContext* dbg) override {
    IOStatus status = target()->Read(std::min<std::uint64_t>(n, left_), options, result, scratch, dbg);
    if (status.ok()) left_ -= result->size();
    return status;
  }
  IOStatus Skip(std::uint64_t n) override {
    const std::uint64_t skipped = std::min(n, left_);
    left_ -= skipped;
    return target()->Skip(skipped);
  }

 private:
  std::uint64_t left_;
};

class WalFiles final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "WalFiles"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options, std::unique_ptr<FSWritableFile>* result,
                           IODebugContext* dbg) override {
    IOStatus status = FileSystemWrapper::NewWritableFile(name, options, result, dbg);
    if (!status.ok() || !is_log(name)) return status;
    const auto size = std::make_shared<Size>(0);
    *result = std::make_unique<WrittenLog>(std::move(*result), size);
    const std::lock_guard lock(mutex_);
    std::erase_if(written_, [](const auto& log) { return log.second.expired(); });
    written_[name] = size;
    return status;
  }

  IOStatus NewSequentialFile(const std::string& name, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* result, IODebugContext* dbg) override {
    IOStatus status = FileSystemWrapper::NewSequentialFile(name, options, result, dbg);
    if (!status.ok() || !is_log(name)) return status;
    std::optional<std::uint64_t> size = written(name);
    if (!size) {
      const auto end = end_of_wal(*target(), name);
      if (!end && end.error().code == ErrorCode::kStoreCorrupt) return IOStatus::Corruption(end.error().message);
      if (!end) return IOStatus::IOError(end.error().message);
      size = *end;
    }
    *result = std::make_unique<ReadLog>(std::move(*result), *size);
    return status;
  }

  IOStatus GetFileSize(const std::string& name, const IOOptions& options, std::uint64_t* result,
                       IODebugContext* dbg) override {
    const auto size = written(name);
    if (!size) return FileSystemWrapper::GetFileSize(name, options, result, dbg);
    *result = *size;
    return IOStatus::OK();
  }

 private:
  static bool is_log(const std::string& name) { return name.ends_with(".log"); }

  // The size of a log that is being written.
  std::optional<std::uint64_t> written(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto log = written_.find(name);
    const auto size = log == written_.end() ? nullptr : log->second.lock();
    if (!size) return std::nullopt;
    return size->load();
  }

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Size>> written_;  // logs by path
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> make_wal_files(const std::shared_ptr<rocksdb::FileSystem>& files) {
  return std::make_shared<WalFiles>(files);
}

}  // namespace hearsay::aggregator
