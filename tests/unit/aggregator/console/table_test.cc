#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>

#include "aggregator/console/table.h"

namespace hearsay::console {
namespace {

TEST_CASE("columns are as wide as their widest cell, numbers are aligned to the right, and no line ends with blanks") {
  const Table table{{"query", "ω", "remark"}, {{"a and b", "0.5", ""}, {"ä", "-1e-05", "x"}}};
  CHECK(table.to_text() ==
        "query         ω  remark\n"
        "a and b     0.5\n"
        "ä        -1e-05  x\n");
  CHECK(Table{{"a", "b"}, {}}.to_text() == "a  b\n");
}

TEST_CASE("cells are quoted in CSV where RFC 4180 demands quotes") {
  const Table table{{"query", "value"}, {{R"(region in {north, "far east"})", "1"}, {"a\nb", ""}}};
  CHECK(table.to_csv() == "query,value\r\n\"region in {north, \"\"far east\"\"}\",1\r\n\"a\nb\",\r\n");
}

TEST_CASE("exact numbers are read back unchanged, and short numbers are rounded") {
  for (const double value : {0.1, -1.0 / 3, 1e300, std::numeric_limits<double>::denorm_min(), 12345678.9}) {
    CHECK(std::strtod(exact_number(value).c_str(), nullptr) == value);
  }
  CHECK(short_number(0.123456) == "0.1235");
  CHECK(short_number(1234567, 3) == "1.23e+06");
}

}  // namespace
}  // namespace hearsay::console
