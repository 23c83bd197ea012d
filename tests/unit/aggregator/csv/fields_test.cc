#include "aggregator/csv/fields.h"

#include <doctest/doctest.h>

namespace hearsay::csv {
namespace {

using Fields = std::vector<std::string>;

TEST_CASE("a line is split into its fields, and malformed quotes are refused") {
  CHECK(read_fields("region,smoker").value() == Fields{"region", "smoker"});
  CHECK(read_fields(" region , smoker ").value() == Fields{"region", "smoker"});
  CHECK(read_fields("\"work, paid\",age").value() == Fields{"work, paid", "age"});
  CHECK(read_fields("\"say \"\"so\"\"\"").value() == Fields{"say \"so\""});
  CHECK(read_fields("größe,\\,'a'").value() == Fields{"größe", "\\", "'a'"});
  CHECK(read_fields("a,,b").value() == Fields{"a", "", "b"});
  CHECK(read_fields("").value().empty());
  for (const char* bad : {"\"a", "a\"b", "\"a\"b", "a\nb", "a,b\n"}) {
    CAPTURE(bad);
    const auto fields = read_fields(bad);
    CHECK_FALSE(fields);
    if (!fields) CHECK(fields.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("written fields are read back unchanged") {
  for (const Fields& fields :
       {Fields{"a"}, Fields{"a, b", "c"}, Fields{"\"", "\"\"", ","}, Fields{"'", "\\", "age in 3..4"}}) {
    CHECK(read_fields(write_fields(fields)).value() == fields);
  }
  CHECK(write_fields({" a", "b\t", "c d"}) == "\" a\",\"b\t\",c d");
  CHECK(write_fields({"a", "b, c", "d\"e"}) == "a,\"b, c\",\"d\"\"e\"");
}

}  // namespace
}  // namespace hearsay::csv
