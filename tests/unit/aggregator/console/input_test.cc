#include "aggregator/console/input.h"

#include <doctest/doctest.h>

#include "tests/support/temporary_file.h"

namespace hearsay::console {
namespace {

using tests::TemporaryFile;

TEST_CASE("the refusal of a file that is not text gives the file's name, the line and the reason") {
  const TemporaryFile latin("smoker\n\ncaf\xE9\n");
  const auto refused = read_text(latin.path());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == latin.path() + ", line 3: not UTF-8");
  const TemporaryFile utf16(
      std::string("\xFF\xFE"
                  "a\0",
                  4));
  CHECK(read_text(utf16.path()).error().message ==
        utf16.path() + ", line 1: not UTF-8 but UTF-16; save the text as UTF-8");
  const TemporaryFile empty("");
  CHECK(read_text(empty.path()).value().empty());
  CHECK(read_text("/nonexistent").error().code == ErrorCode::kIo);
  CHECK(read_text("/nonexistent").error().message == "cannot read '/nonexistent': No such file or directory");
  // A directory is not read as an empty file.
  CHECK(read_text("/").error().message == "cannot read '/': Is a directory");
}

TEST_CASE("input beyond the limit is refused, also a file without an end such as /dev/zero") {
  const TemporaryFile four("1234");
  CHECK(read_file(four.path(), 4).value() == "1234");
  CHECK(read_file(four.path(), 3).error().code == ErrorCode::kLimitExceeded);
  const auto endless = read_file("/dev/zero", 100'000);
  REQUIRE_FALSE(endless);
  CHECK(endless.error().message ==
        "'/dev/zero' has more than 100,000 bytes, the most that the program reads: name another file");
}

TEST_CASE(
    "the error about queries that are not UTF-8 names the argument or the line, and a byte order mark is ignored") {
  CHECK(collect_queries({"smoker", "caf\xE9"}, "").error().message == "query 2 of the command line is not UTF-8");
  const TemporaryFile latin("# caf\xC3\xA9\nsmoker\nregion = \"caf\xE9\"\n");
  CHECK(collect_queries({}, latin.path()).error().message == latin.path() + ", line 3: not UTF-8");
  const TemporaryFile none("# smoker\n\n");
  CHECK(collect_queries({}, none.path()).error().message == none.path() + " holds no query");
  CHECK(collect_queries({}, "").error().message ==
        "no query given: write a query as an argument, or name a file of queries with --queries");
  const TemporaryFile marked("\xEF\xBB\xBFsmoker\r\n");
  CHECK(collect_queries({"age"}, marked.path()).value() == std::vector<std::string>{"age", "smoker\r"});
}

}  // namespace
}  // namespace hearsay::console
