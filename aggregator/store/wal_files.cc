#include "aggregator/store/wal_files.h"

#include <algorithm>
#include <atomic>
#include <boost/align/aligned_allocator.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// What is written begins and ends at a multiple of this, as the kernel demands of files whose pages it does not keep.
constexpr std::size_t kBlock = 4096;
// RocksDB hands over at most so much at a time.
constexpr std::size_t kMostWritten = 1024 * 1024;
// Zeros ahead: as many as were written since the last commit without them, within these bounds, so that at most as much
// is written in vain as in earnest.
constexpr std::uint64_t kLeastAhead = 4096;
constexpr std::uint64_t kMostAhead = 256 * 1024;
// Commits from this size on have none: their bytes take longer than the file's length.
constexpr std::size_t kLargeCommit = 64 * 1024;
// A sector with one set bit is blank once that bit has flipped.
constexpr int kNearlyBlank = 1;

using Size = std::atomic<std::uint64_t>;

class WrittenLog final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WrittenLog(std::unique_ptr<FSWritableFile>&& file, std::shared_ptr<Size> size)
      : FSWritableFileOwnerWrapper(std::move(file)), size_(std::move(size)), buffer_(kMostWritten + kBlock) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    if (!failed_.ok()) return failed_;
    synced_ = false;
    blank_ = blank_ || has_blank_sector({data.data(), data.size()}, *size_, kNearlyBlank);
    const std::size_t zeros = zeros_behind(data.size());
    IOStatus status;
    for (std::size_t done = 0; status.ok() && done < data.size();) {
      const std::size_t length = std::min(data.size() - done, kMostWritten);
      status = write({data.data() + done, length}, zeros, options, dbg);
      done += length;
    }
    return failed_ = status;
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& /*info*/,
                  IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    if (!failed_.ok()) return failed_;
    IOStatus status = target()->Sync(options, dbg);
    if (status.ok() && blank_) {
      status = cut_zeros(end_if_whole(), options, dbg);
      if (status.ok()) status = target()->Sync(options, dbg);
    }
    if (status.ok()) {
      synced_ = true;
      blank_ = false;
    }
    return failed_ = status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override { return Sync(options, dbg); }
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    // What was not synchronised may yet lack sectors, and the length must not say otherwise.
    const bool cuts = synced_ && failed_.ok() && end_ != end_if_whole();
    IOStatus cut = cuts ? cut_zeros(*size_, options, dbg) : IOStatus::OK();
    IOStatus closed = target()->Close(options, dbg);
    return cut.ok() ? closed : cut;
  }
  std::uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override { return *size_; }
  // Reserves nothing: a file with space reserved is cut when it is closed, whether it was synchronised or not.
  void PrepareWrite(std::size_t /*offset*/, std::size_t /*length*/, const IOOptions& /*options*/,
                    IODebugContext* /*dbg*/) override {}
  // Whether blocks are written around the kernel's cache is not the writer's concern.
  bool use_direct_io() const override { return false; }
  std::size_t GetRequiredBufferAlignment() const override { return rocksdb::kDefaultPageSize; }

 private:
  // How many zeros to write behind so many bytes more.
  std::size_t zeros_behind(std::size_t bytes) {
    const std::uint64_t end = *size_ + bytes;
    if (end <= end_) return 0;
    if (bytes < kLargeCommit) return std::clamp(end - bare_end_, kLeastAhead, kMostAhead);
    bare_end_ = end;
    return 0;
  }

  // Writes whole blocks: the beginning of the first anew, and zeros up to the end of the last.
  IOStatus write(std::string_view data, std::size_t zeros, const IOOptions& options, IODebugContext* dbg) {
    const std::size_t begun = *size_ % kBlock;
    const std::size_t filled = begun + data.size();
    const std::size_t blocks = (filled + zeros + kBlock - 1) / kBlock * kBlock;
    std::copy(data.begin(), data.end(), buffer_.begin() + begun);
    std::fill(buffer_.begin() + filled, buffer_.begin() + blocks, '\0');
    const std::uint64_t offset = *size_ - begun;
    IOStatus status = target()->PositionedAppend({buffer_.data(), blocks}, offset, options, dbg);
    if (!status.ok()) return status;
    *size_ += data.size();
    end_ = std::max(end_, offset + blocks);
    std::copy(buffer_.begin() + filled / kBlock * kBlock, buffer_.begin() + filled, buffer_.begin());
    return status;
  }

  // Where the file ends if its length is to tell that nothing is missing: at no multiple of a sector.
  std::uint64_t end_if_whole() const { return *size_ % kSector == 0 ? *size_ + 1 : size_->load(); }

  IOStatus cut_zeros(std::uint64_t end, const IOOptions& options, IODebugContext* dbg) {
    if (end_ == end) return IOStatus::OK();
    IOStatus status = target()->Truncate(end, options, dbg);
    if (status.ok()) bare_end_ = end_ = end;
    return status;
  }

  const std::shared_ptr<Size> size_;  // written, without the zeros behind
  std::uint64_t end_ = 0;             // of the file, with them
  std::uint64_t bare_end_ = 0;        // of the last commit without zeros behind
  IOStatus failed_;                   // why nothing more is written or synchronised, if so
  bool synced_ = true;                // nothing was written since the last sync
  bool blank_ = false;                // a sector of what was written since is blank, or nearly
  // Begins with what the file's last block that is not full has in it.
  std::vector<char, boost::alignment::aligned_allocator<char, kBlock>> buffer_;
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
    if (!is_log(name)) return FileSystemWrapper::NewWritableFile(name, options, result, dbg);
    // Not every file system has files without pages in the kernel's cache, or with blocks of this size.
    FileOptions direct = options;
    direct.use_direct_writes = true;
    IOStatus status = FileSystemWrapper::NewWritableFile(name, direct, result, dbg);
    if (!status.ok() || (*result)->GetRequiredBufferAlignment() > kBlock) {
      status = FileSystemWrapper::NewWritableFile(name, options, result, dbg);
    }
    if (!status.ok()) return status;
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
    std::uint64_t size = 0;
    status = GetFileSize(name, options.io_options, &size, dbg);
    if (status.ok()) *result = std::make_unique<ReadLog>(std::move(*result), size);
    return status;
  }

  IOStatus GetFileSize(const std::string& name, const IOOptions& options, std::uint64_t* result,
                       IODebugContext* dbg) override {
    if (!is_log(name)) return FileSystemWrapper::GetFileSize(name, options, result, dbg);
    if (const auto size = written(name)) {
      *result = *size;
      return IOStatus::OK();
    }
    const auto end = end_of_wal(*target(), name);
    if (!end) {
      const std::string& message = end.error().message;
      return end.error().code == ErrorCode::kStoreCorrupt ? IOStatus::Corruption(message) : IOStatus::IOError(message);
    }
    *result = *end;
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
  std::map<std::string, std::weak_ptr<const Size>> written_;  // logs by path
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> make_wal_files(const std::shared_ptr<rocksdb::FileSystem>& files) {
  return std::make_shared<WalFiles>(files);
}

}  // namespace hearsay::aggregator
