#include "aggregator/daemon/ready_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "common/base/strict_json.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_directory.h"

namespace hearsay::daemon {
namespace {

TEST_CASE(
    "a second daemon leaves the ready file of a running daemon alone, and replaces the file of a daemon that has "
    "ended") {
  const tests::TemporaryDirectory directory;
  const std::string path = directory / "ready";
  {
    ReadyFile first = ReadyFile::claim(path).value();
    REQUIRE(first.write({{"port", 7}}));
    CHECK(tests::read_file(path) == "{\"port\":7}\n");
    const auto second = ReadyFile::claim(path);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::kInUse);
    CHECK(second.error().message.find(path) != std::string::npos);
    CHECK(tests::read_file(path) == "{\"port\":7}\n");
    const ReadyFile moved = std::move(first);
    CHECK_FALSE(ReadyFile::claim(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));

  std::ofstream(path) << "of a killed daemon";
  ReadyFile next = ReadyFile::claim(path).value();
  CHECK_FALSE(std::filesystem::exists(path));
  REQUIRE(next.write({{"port", 8}}));
  next.remove();
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a ready file that cannot be written is an error, and without a path no file is written") {
  ReadyFile nowhere = ReadyFile::claim("/dev/null/ready").value();
  CHECK(nowhere.write({{"port", 7}}).error().code == ErrorCode::kIo);
  ReadyFile none = ReadyFile::claim("").value();
  CHECK(none.write({{"port", 7}}));
}

}  // namespace
}  // namespace hearsay::daemon
