// Logs of RocksDB for the tests of what is written and of what is read.
#pragma once

#include <rocksdb/db.h>

#include <boost/crc.hpp>
#include <random>

#include "aggregator/store/wal.h"
#include "tests/unit/aggregator/store/store_fixture.h"

namespace hearsay::aggregator::tests {

inline std::string read_file(const std::string& path) {
  std::string bytes;
  REQUIRE(rocksdb::ReadFileToString(rocksdb::Env::Default(), path, &bytes).ok());
  return bytes;
}

// Where the log with these bytes ends; nothing if it is damaged.
inline std::optional<std::uint64_t> end_of(const std::string& bytes) {
  static const std::unique_ptr<rocksdb::Env> memory(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  REQUIRE(rocksdb::WriteStringToFile(memory.get(), bytes, "/log").ok());
  const auto end = end_of_wal(*memory->GetFileSystem(), "/log");
  if (end) return *end;
  REQUIRE(end.error().code == ErrorCode::kStoreCorrupt);
  return std::nullopt;
}

// What RocksDB writes into a log for commits of these values, and where each ends.
struct PlainLog {
  explicit PlainLog(const std::vector<std::string>& values, bool marked = true) {
    CommitMark mark;  // always the same, so that the log is
    for (std::size_t i = 0; i < mark.size(); ++i) mark[i] = static_cast<char>(0x81U | i << 2U);
    const TempDir dir;
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* opened = nullptr;
    REQUIRE(rocksdb::DB::Open(options, dir / "s", &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    std::string log;
    for (const auto& entry : std::filesystem::directory_iterator(dir / "s")) {
      if (entry.path().extension() == ".log") log = entry.path();
    }
    for (const std::string& value : values) {
      rocksdb::WriteBatch batch;
      REQUIRE(batch.Put("key", value).ok());
      if (marked) REQUIRE(batch.PutLogData({mark.data(), mark.size()}).ok());
      REQUIRE(db->Write({}, &batch).ok());
      ends.push_back(std::filesystem::file_size(log));
    }
    bytes = read_file(log);
  }
  std::string commit(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return bytes.substr(begin, ends[i] - begin);
  }
  std::string bytes;
  std::vector<std::uint64_t> ends;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::string bytes(std::size_t n) {
    std::string bytes(n, '\0');
    for (char& c : bytes) c = static_cast<char>(below(256));
    return bytes;
  }
  // Small values, some with zeros in them or with what looks like the end of a log, and a few over several blocks.
  std::string value() {
    if (one_in(6)) return bytes(20'000 + below(60'000));
    if (one_in(6)) return fakes();
    std::string value = bytes(1 + below(3000));
    if (one_in(3)) value.replace(below(value.size()), std::string::npos, std::string(below(2500), '\0'));
    if (one_in(2)) value += bytes(below(700));
    return value;
  }

 private:
  // Whole records with nothing in them, each followed by not quite a sector of zeros.
  std::string fakes() {
    static const std::string kEmptyRecord = [] {
      boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
      crc.process_byte(1);
      const std::uint32_t masked = (crc.checksum() >> 15U | crc.checksum() << 17U) + 0xa282ead8U;
      std::string record(7, '\0');
      for (std::size_t i = 0; i < 4; ++i) record[i] = static_cast<char>(masked >> 8 * i & 0xffU);
      record[6] = 1;
      return record;
    }();
    std::string value;
    for (std::size_t i = 1 + below(40); i > 0; --i) value += kEmptyRecord + std::string(400 + below(100), '\0');
    return value;
  }

  std::mt19937_64 engine_;
};

}  // namespace hearsay::aggregator::tests
