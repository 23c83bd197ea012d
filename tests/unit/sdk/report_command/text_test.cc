#include "sdk/report_command/text.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "tests/support/temporary_directory.h"

namespace hearsay::sdk {
namespace {

TEST_CASE("a stream is read whole, and an unreadable stream is an error") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 16U, std::size_t{200'000}}) {
    std::istringstream in(std::string(size, 'x'));
    CHECK(read_all(in, "text").value() == std::string(size, 'x'));
  }
  std::istringstream long_one(std::string((8U << 20U) + 1, 'x'));
  CHECK(read_all(long_one, "text").error().code == ErrorCode::kLimitExceeded);
  const tests::TemporaryDirectory directory;
  std::ifstream no_file(directory / ".");
  CHECK(read_all(no_file, "directory").error().code == ErrorCode::kIo);
}

TEST_CASE("no control character is printed, and other text is unchanged") {
  CHECK(printable("Grüße, \"task\"\n€") == "Grüße, \"task\"\n€");
  CHECK(printable(std::string_view("a\x1b[2J\r\t\x7f\0", 9)) == "a?[2J????");
  CHECK(printable("\xc2\x9b"
                  "31m\xc2\xa0") == "?31m\xc2\xa0");
  CHECK(printable("\xc2") == "\xc2");
}

}  // namespace
}  // namespace hearsay::sdk
