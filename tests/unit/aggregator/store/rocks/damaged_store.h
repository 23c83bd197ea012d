// Copies of a small store with every kind of file. Tests damage the copies.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/golden.h"
#include "tests/unit/aggregator/store/rocks/store_fixture.h"

namespace hearsay::store::rocks::tests {

using hearsay::tests::read_file;

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

// A store with two tasks and kReports reports, in tables and blobs. If it is killed, the last kLogged commits are only
// in the log.
class DamagedStore {
 public:
  static constexpr std::uint64_t kReports = 400;
  static constexpr std::uint64_t kLogged = 8;

  enum class Stop { kKilled, kClean };
  explicit DamagedStore(Stop stop) {
    {
      const auto store = open_store(dir_ / "s");
      REQUIRE(store->add_task(task));
      REQUIRE(store->add_task(make_task("second")));
      append_new(*store, task, make_reports(task, 0, kReports - kLogged * 10));
    }
    {
      const auto store = open_store(dir_ / "s");
      for (std::uint64_t i = 0; i < kLogged; ++i) {
        const std::uint64_t from = kReports - (kLogged - i) * 10;
        append_new(*store, task, make_reports(task, from, from + 10));
      }
      // A killed process leaves the files as they are now.
      if (stop == Stop::kKilled) std::filesystem::copy(dir_ / "s", dir_ / "image");
    }
    if (stop == Stop::kClean) std::filesystem::copy(dir_ / "s", dir_ / "image");
  }

  std::vector<std::string> files(const std::string& part = "") const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_ / "image")) {
      const std::string name = entry.path().filename();
      if (name.find(part) != std::string::npos) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string newest_file(const std::string& part) const {
    REQUIRE_FALSE(files(part).empty());
    return files(part).back();
  }
  std::string bytes(const std::string& name) const { return read_file(dir_ / ("image/" + name)); }
  std::string copy() const {
    std::filesystem::remove_all(dir_ / "copy");
    std::filesystem::copy(dir_ / "image", dir_ / "copy");
    return dir_ / "copy";
  }
  std::string copy_with(const std::string& name, const std::string& bytes) const {
    const std::string path = copy();
    write_file(path + "/" + name, bytes);
    return path;
  }
  std::string copy_without(const std::string& name) const {
    const std::string path = copy();
    REQUIRE(std::filesystem::remove(path + "/" + name));
    return path;
  }

  // Opens and verifies the copy. Returns true if an error names `name`. Otherwise, checks that all data are there.
  bool is_named(const std::string& path, const std::string& name) const {
    const auto store = open({.path = path});
    const auto verified = store ? verify(**store) : Result<VerifyResult>(store.error());
    CAPTURE(name);
    if (verified) {
      CHECK(verified->tasks == 2);
      CHECK(verified->reports == kReports);
      CHECK(verified->differences.empty());
      CHECK(whole_tally(**store, task) == tally_of(task, make_reports(task, 0, kReports)));
      return false;
    }
    CAPTURE(verified.error().message);
    CHECK(verified.error().code == ErrorCode::kStoreCorrupt);
    const std::string& message = verified.error().message;
    CHECK(message.find(name) != std::string::npos);
    CHECK(is_printable(message));
    return true;
  }

  const Task task = make_task();

 private:
  TemporaryDirectory dir_;
};

// Returns the positions of the records in a log or MANIFEST of RocksDB. The file has blocks of 32 KiB. The header of a
// record is CRC (4 bytes), length (2) and type (1).
inline std::vector<std::size_t> record_headers(const std::string& bytes) {
  constexpr std::size_t kBlock = 32'768;
  constexpr std::size_t kHeader = 7;
  std::vector<std::size_t> headers;
  for (std::size_t at = 0; at + kHeader <= bytes.size();) {
    if (kBlock - at % kBlock < kHeader) {
      at += kBlock - at % kBlock;
      continue;
    }
    headers.push_back(at);
    at += kHeader + static_cast<std::uint8_t>(bytes[at + 4]) + 256U * static_cast<std::uint8_t>(bytes[at + 5]);
  }
  return headers;
}

}  // namespace hearsay::store::rocks::tests
