// The log's files: what is written to the disk, and when, and what is read after a power cut.
#include "aggregator/store/wal_files.h"

#include "tests/unit/aggregator/store/wal_fixture.h"

namespace hearsay::aggregator::tests {
namespace {

const std::shared_ptr<rocksdb::FileSystem>& disk() {
  static const auto files = rocksdb::FileSystem::Default();
  return files;
}

// A log that is being written.
class WrittenLog {
 public:
  explicit WrittenLog(const std::shared_ptr<rocksdb::FileSystem>& under = disk()) : files(make_wal_files(under)) {
    REQUIRE(files->NewWritableFile(path(), {}, &file_, nullptr).ok());
  }

  std::string path() const { return dir_ / "000001.log"; }
  // What lies on the disk, zeros and all.
  std::string bytes() const { return read_file(path()); }
  void append(const std::string& commit) {
    // As RocksDB hands it over: a megabyte at a time.
    constexpr std::size_t kPiece = std::size_t{1} << 20U;
    for (std::size_t at = 0; at < commit.size(); at += kPiece) {
      REQUIRE(file_->Append(commit.substr(at, kPiece), {}, nullptr).ok());
    }
  }
  void sync() { REQUIRE(file_->Sync({}, nullptr).ok()); }
  void close() { REQUIRE(file_->Close({}, nullptr).ok()); }

  const std::shared_ptr<rocksdb::FileSystem> files;

 private:
  TempDir dir_;
  std::unique_ptr<rocksdb::FSWritableFile> file_;
};

// What a power cut may leave of a commit that was being written, where `before` was on the disk and `after` was to be:
// any of its sectors, and the old length, the new one, or one of another page.
std::string after_power_cut(const std::string& before, const std::string& after, Random& random) {
  constexpr std::size_t kPage = 4096;
  const std::size_t between = before.size() + random.below(after.size() - before.size() + 1);
  std::string mixed = before;
  mixed.resize(random.one_in(3) ? before.size() : random.one_in(2) ? after.size() : (between + kPage) / kPage * kPage);
  const std::size_t lost = 1 + random.below(8);  // one of so many sectors
  for (std::size_t at = 0; at < std::min(mixed.size(), after.size()); at += kSector) {
    const std::size_t length = std::min(kSector, mixed.size() - at);
    if (!random.one_in(lost)) mixed.replace(at, length, after, at, length);
  }
  return mixed;
}

TEST_CASE("small commits are written over zeros, and the file seldom becomes longer") {
  constexpr std::size_t kCommits = 300;
  Random random(2);  // by which no commit happens to begin or end with a blank byte in a sector
  std::vector<std::string> values;
  for (std::size_t i = 0; i < kCommits; ++i) values.push_back(random.bytes(2000) + "end");
  const PlainLog plain(values);
  WrittenLog log;
  std::size_t longer = 0;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < kCommits; ++i) {
    log.append(plain.commit(i));
    log.sync();
    const std::string bytes = log.bytes();
    if (bytes.size() != size) ++longer;
    size = bytes.size();
    CHECK(size % kSector == 0);
    CHECK(bytes.substr(0, plain.ends[i]) == plain.bytes.substr(0, plain.ends[i]));
    CHECK(bytes.find_first_not_of('\0', plain.ends[i]) == std::string::npos);
    if (i % 30 == 0) CHECK(end_of(bytes) == plain.ends[i]);
  }
  // Zeros double from 4 KiB to 256 KiB and then come by 256 KiB.
  CHECK(longer <= 7 + plain.bytes.size() / 262'144);
}

TEST_CASE("the file ends with a commit that has a blank sector or nearly, and in its block with a large one") {
  constexpr std::size_t kBlock = 4096;
  const std::string small(2 * kSector, 'x');
  const std::string blank = std::string(2 * kSector, '\0') + "end";
  std::string nearly = blank;
  for (const std::size_t at : {0U, 300U, 600U, 900U}) nearly[at] = 8;
  const std::string large(70'000, 'x');
  const PlainLog plain({small, blank, small, nearly, small, large, small});
  WrittenLog log;
  std::size_t i = 0;
  for (const char what : {'s', 'b', 's', 'b', 's', 'l', 's'}) {
    CAPTURE(i);
    const std::uint64_t end = plain.ends[i];
    log.append(plain.commit(i));
    CHECK(log.bytes().size() % kSector == 0);
    log.sync();
    const std::string bytes = log.bytes();
    CHECK((bytes.size() % kSector != 0) == (what == 'b'));
    CHECK((bytes.size() <= end + 1) == (what == 'b'));
    if (what == 'l') CHECK(bytes.size() == (end + kBlock - 1) / kBlock * kBlock);
    if (what == 's' && i < 5) CHECK(bytes.size() >= end + kBlock);  // the last lies in the large one's last block
    CHECK(end_of(bytes) == end);
    ++i;
  }
}

TEST_CASE("a commit with a blank sector that fills its last one is told from zeros by one byte") {
  std::string blank = std::string(2 * kSector, '\0') + "end";
  blank.insert(0, kSector - PlainLog({blank}).ends[0] % kSector, 'x');
  const PlainLog plain({blank, "small", "small"});
  REQUIRE(plain.ends[0] % kSector == 0);
  WrittenLog log;
  for (std::size_t i = 0; i < 3; ++i) {
    log.append(plain.commit(i));
    log.sync();
    std::string bytes = log.bytes();
    CHECK(end_of(bytes) == plain.ends[i]);
    bytes[kSector / 2] = 'y';
    CHECK(end_of(bytes) == std::nullopt);
    if (i == 0) CHECK(bytes.size() == plain.ends[0] + 1);
  }
}

// A disk on which files around the kernel's cache want buffers of this alignment; 0: on which there are none.
class DirectDisk final : public rocksdb::FileSystemWrapper {
 public:
  explicit DirectDisk(std::size_t alignment) : FileSystemWrapper(disk()), alignment_(alignment) {}
  const char* Name() const override { return "DirectDisk"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* dbg) override {
    direct = options.use_direct_writes;
    if (direct && alignment_ == 0) return rocksdb::IOStatus::InvalidArgument("planted");
    rocksdb::FileOptions buffered = options;
    buffered.use_direct_writes = false;
    std::unique_ptr<rocksdb::FSWritableFile> file;
    const rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, buffered, &file, dbg);
    if (status.ok()) *result = std::make_unique<File>(std::move(file), *this, direct ? alignment_ : 1);
    return status;
  }

  bool direct = false;  // the file that was opened last
  std::size_t writes = 0;

 private:
  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile>&& file, DirectDisk& disk, std::size_t alignment)
        : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), alignment_(alignment) {}
    std::size_t GetRequiredBufferAlignment() const override { return alignment_; }
    rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset,
                                       const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
      ++disk_.writes;
      CHECK(reinterpret_cast<std::uintptr_t>(data.data()) % alignment_ == 0);
      CHECK(data.size() % alignment_ == 0);
      CHECK(offset % alignment_ == 0);
      return target()->PositionedAppend(data, offset, options, dbg);
    }

   private:
    DirectDisk& disk_;
    const std::size_t alignment_;
  };

  const std::size_t alignment_;
};

TEST_CASE("a log is written in whole blocks around the kernel's cache, where the disk's files let it") {
  Random random(3);
  std::vector<std::string> values;
  for (const std::size_t size : {10U, 5000U, 4000U, 70'000U, 1U, 3'000'000U, 100U})
    values.push_back(random.bytes(size));
  values.insert(values.begin() + 2, std::string(2000, '\0') + "end");
  const PlainLog plain(values);
  for (const std::size_t alignment : {512U, 4096U, 8192U, 0U}) {
    CAPTURE(alignment);
    const auto under = std::make_shared<DirectDisk>(alignment);
    WrittenLog log(under);
    CHECK(under->direct == (alignment == 512 || alignment == 4096));
    for (std::size_t i = 0; i < values.size(); ++i) {
      log.append(plain.commit(i));
      log.sync();
      CHECK(end_of(log.bytes()) == plain.ends[i]);
    }
    log.close();
    CHECK(log.bytes() == plain.bytes);
    CHECK(under->writes >= values.size());
  }
}

// A disk that notes what is done to its files, 'w'rite, 't'runcate and 's'ynchronise, and of which one step may fail.
class NotedDisk final : public rocksdb::FileSystemWrapper {
 public:
  NotedDisk() : FileSystemWrapper(disk()) {}
  const char* Name() const override { return "NotedDisk"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* dbg) override {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    const rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, &file, dbg);
    if (status.ok()) *result = std::make_unique<File>(std::move(file), *this);
    return status;
  }

  std::string steps;
  std::size_t failing = std::string::npos;  // the number of the step that fails

 private:
  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile>&& file, NotedDisk& disk)
        : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}
    rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset,
                                       const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
      return step('w') ? target()->PositionedAppend(data, offset, options, dbg) : planted();
    }
    rocksdb::IOStatus Truncate(std::uint64_t size, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override {
      return step('t') ? target()->Truncate(size, options, dbg) : planted();
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
      return step('s') ? target()->Sync(options, dbg) : planted();
    }

   private:
    static rocksdb::IOStatus planted() { return rocksdb::IOStatus::IOError("planted"); }
    bool step(char what) {
      disk_.steps += what;
      return disk_.steps.size() - 1 != disk_.failing;
    }
    NotedDisk& disk_;
  };
};

TEST_CASE("zeros are cut between two synchronisations, and after a step that fails there is no other") {
  constexpr std::size_t kMiB = std::size_t{1} << 20U;
  const std::string full(700, 'x');
  const std::string blank = std::string(2 * kSector, '\0') + "end";
  const std::string large(kMiB + 1, 'x');
  struct Case {
    std::vector<std::string> pieces;  // before one synchronisation
    std::string steps;
  };
  for (const Case& c :
       {Case{{full}, "ws"}, Case{{blank}, "wsts"}, Case{{blank, full}, "wwsts"}, Case{{large}, "wws"}}) {
    CAPTURE(c.steps);
    for (std::size_t failing = 0; failing <= c.steps.size(); ++failing) {
      CAPTURE(failing);
      const auto noted = std::make_shared<NotedDisk>();
      const auto files = make_wal_files(noted);
      const TempDir dir;
      const std::string path = dir / "000001.log";
      std::unique_ptr<rocksdb::FSWritableFile> file;
      REQUIRE(files->NewWritableFile(path, {}, &file, nullptr).ok());
      noted->failing = failing;
      bool ok = true;
      std::uint64_t whole = 0;
      for (const std::string& piece : c.pieces) {
        ok = file->Append(piece, {}, nullptr).ok() && ok;
        if (ok) whole += piece.size();
      }
      ok = file->Sync({}, nullptr).ok() && ok;
      CHECK(ok == (failing == c.steps.size()));
      CHECK(noted->steps == c.steps.substr(0, failing + 1));
      if (ok) continue;
      const std::string left = read_file(path);
      CHECK_FALSE(file->Append(full, {}, nullptr).ok());
      CHECK_FALSE(file->Sync({}, nullptr).ok());
      std::uint64_t size = 0;
      REQUIRE(files->GetFileSize(path, {}, &size, nullptr).ok());
      CHECK(size == (c.pieces[0] == large && failing == 1 ? kMiB : whole));
      REQUIRE(file->Close({}, nullptr).ok());
      CHECK(read_file(path) == left);
      CHECK(noted->steps.size() == failing + 1);
    }
  }
}

TEST_CASE("a closed log still tells that nothing is missing of a last commit with a blank sector") {
  for (const std::size_t multiple : {kSector, std::size_t{4096}}) {
    for (const std::size_t zeros : {2 * kSector, std::size_t{70'000}}) {
      std::string blank = std::string(zeros, '\0') + "end";
      blank.insert(0, multiple - PlainLog({blank}).ends[0] % multiple, 'x');
      const PlainLog plain({blank});
      REQUIRE(plain.ends[0] % multiple == 0);
      WrittenLog log;
      log.append(plain.commit(0));
      log.sync();
      CHECK(log.bytes().size() == plain.ends[0] + 1);
      log.close();
      std::string bytes = log.bytes();
      CHECK(end_of(bytes) == plain.ends[0]);
      bytes[10] ^= 1;
      CHECK(end_of(bytes) == std::nullopt);
    }
  }
}

TEST_CASE("a log has the size of what was written; closed, it has no zeros if it was synchronised") {
  const PlainLog plain({"one", "another"});
  WrittenLog log;
  const auto size = [&] {
    std::uint64_t bytes = 0;
    REQUIRE(log.files->GetFileSize(log.path(), {}, &bytes, nullptr).ok());
    return bytes;
  };
  const auto content = [&] {
    std::string bytes;
    REQUIRE(rocksdb::ReadFileToString(rocksdb::NewCompositeEnv(log.files).get(), log.path(), &bytes).ok());
    return bytes;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    log.append(plain.commit(i));
    CHECK(log.bytes().size() > plain.ends[i]);
    CHECK(size() == plain.ends[i]);
    CHECK(content() == plain.bytes.substr(0, plain.ends[i]));
  }
  SUBCASE("synchronised") {
    log.sync();
    log.close();
    CHECK(log.bytes() == plain.bytes);
  }
  SUBCASE("not synchronised") {
    const std::string bytes = log.bytes();
    log.close();
    CHECK(log.bytes() == bytes);
  }
  CHECK(size() == plain.bytes.size());
  CHECK(content() == plain.bytes);
}

// Whether this byte only fills up a block in which no header fits any more.
bool is_filler(const PlainLog& plain, std::size_t at) {
  constexpr std::size_t kBlock = 32'768;
  const std::size_t block_end = (at / kBlock + 1) * kBlock;
  return std::any_of(plain.ends.begin(), plain.ends.end(),
                     [&](std::uint64_t end) { return end <= at && end + 7 > block_end; });
}

TEST_CASE("whatever is written, a power cut costs at most the commit under way, and damage is named") {
  constexpr std::size_t kCommits = 12;
  std::size_t torn = 0;
  std::size_t arrived = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    std::vector<std::string> values;
    for (std::size_t i = 0; i < kCommits; ++i) values.push_back(random.value());
    const PlainLog plain(values);
    WrittenLog log;
    for (std::size_t i = 0; i < kCommits; ++i) {
      CAPTURE(i);
      const std::uint64_t begin = i == 0 ? 0 : plain.ends[i - 1];
      const std::uint64_t end = plain.ends[i];
      const std::string before = log.bytes();
      log.append(plain.commit(i));
      const std::string after = log.bytes();
      for (int cut = 0; cut < 12; ++cut) {
        CAPTURE(cut);
        const std::string left = after_power_cut(before, after, random);
        const bool whole = left.size() >= end && left.compare(0, end, after, 0, end) == 0;
        CHECK(end_of(left) == (whole ? end : begin));
        ++(whole ? arrived : torn);
        // Nor does what is left of the next commit hide damage in one before.
        if (i < 2 || whole || left.find_first_not_of('\0', begin) == std::string::npos) continue;
        std::string damaged = left;
        const std::size_t at = plain.ends[0] + random.below(begin - plain.ends[0]);
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
        CAPTURE(at);
        CHECK((end_of(damaged) == std::nullopt || is_filler(plain, at)));
      }
      log.sync();
      REQUIRE(end_of(log.bytes()) == end);
      for (int flip = 0; flip < 12; ++flip) {
        std::string flipped = log.bytes();
        // The header, where it stings, the end, where a sector may hold little, or anywhere.
        const std::size_t at = flip < 4   ? begin + random.below(std::min<std::size_t>(8, end - begin))
                               : flip < 8 ? end - 1 - random.below(std::min<std::size_t>(16, end - begin))
                                          : begin + random.below(end - begin);
        CAPTURE(at);
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << random.below(8)));
        CHECK((end_of(flipped) == std::nullopt || is_filler(plain, at)));
      }
    }
    log.close();
    CHECK(end_of(log.bytes()) == plain.bytes.size());
  }
  CHECK(torn > 500);
  CHECK(arrived > 50);
}

}  // namespace
}  // namespace hearsay::aggregator::tests
