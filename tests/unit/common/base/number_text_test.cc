#include "common/base/number_text.h"

#include <doctest/doctest.h>

namespace hearsay {
namespace {

TEST_CASE("numbers of people have separators") {
  CHECK(with_separators(0) == "0");
  CHECK(with_separators(999) == "999");
  CHECK(with_separators(1000) == "1,000");
  CHECK(with_separators(1234567) == "1,234,567");
  CHECK(with_separators(std::uint64_t{1} << 53U) == "9,007,199,254,740,992");
}

TEST_CASE("a count of one takes the singular") {
  CHECK(counted(0, "user") == "0 users");
  CHECK(counted(1, "user") == "1 user");
  CHECK(counted(1200, "user") == "1,200 users");
}

}  // namespace
}  // namespace hearsay
