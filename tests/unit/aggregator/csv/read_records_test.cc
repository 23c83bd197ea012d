#include "aggregator/csv/read_records.h"

#include <doctest/doctest.h>

#include <string>

namespace hearsay::csv {
namespace {

Schema schema() {
  return Schema::create({Attribute::boolean("member").value(),
                         Attribute::categorical("region", {"north", "far, east", "\"south\""}).value(),
                         Attribute::range("age", -1, 9).value()})
      .value();
}

std::string message(std::string_view csv) {
  const auto records = read_records(schema(), csv);
  REQUIRE_FALSE(records);
  CHECK(records.error().code == ErrorCode::kInvalidRecord);
  return records.error().message;
}

TEST_CASE("columns in any order, all spellings of a boolean, quoted fields") {
  const auto records = read_records(schema(),
                                    "age,member,region\r\n"
                                    "-1,yes,north\r\n"
                                    "9,0,\"far, east\"\n"
                                    "0,true,\"\"\"south\"\"\"");
  REQUIRE(records);
  REQUIRE(records->size() == 3);
  CHECK((*records)[0] == Record::create(schema(), {1, 0, 0}).value());
  CHECK((*records)[1] == Record::create(schema(), {0, 1, 10}).value());
  CHECK((*records)[2] == Record::create(schema(), {1, 2, 1}).value());
}

TEST_CASE("a byte order mark is no part of the header") {
  const auto records = read_records(schema(), "\xEF\xBB\xBFmember,region,age\nyes,north,3\n");
  REQUIRE(records);
  CHECK(records->front() == Record::create(schema(), {1, 0, 4}).value());
  CHECK(message("member\xEF\xBB\xBF,region,age\nyes,north,3\n") ==
        "CSV line 1: column 1 names no attribute of the schema");
}

TEST_CASE("refusals name the line and the attribute, never what a cell holds") {
  const std::string header = "member,region,age\n";
  CHECK(message("") == "the CSV has no record");
  CHECK(message(header) == "the CSV has no record");
  CHECK(message("member,region\nyes,north\n") == "CSV line 1: attribute 'age' must have exactly one column");
  CHECK(message("member,region,age,age\n") == "CSV line 1: attribute 'age' must have exactly one column");
  CHECK(message("yes,secret,5\n") == "CSV line 1: column 1 names no attribute of the schema");
  CHECK(message(header + "yes,north\n") == "CSV line 2: wrong number of fields");
  CHECK(message(header + "yes,north,1\nmaybe,north,1\n") == "CSV line 3: not a value of attribute 'member'");
  CHECK(message(header + "yes,secret,1\n") == "CSV line 2: not a value of attribute 'region'");
  for (const char* age : {"10", "-2", "1.0", "1e1", "", "99999999999999999999", "NaN"}) {
    CAPTURE(age);
    CHECK(message(header + "yes,north," + age + "\n") == "CSV line 2: not a value of attribute 'age'");
  }
  CHECK(message(header + "yes,\"north,1\n").starts_with("CSV: "));
  CHECK(message("age,member,region\n1,yes,\"north").starts_with("CSV: "));  // cut off, and yet as many fields
  CHECK(message(header + "yes,\"north\"x,1\n").starts_with("CSV: "));
}

}  // namespace
}  // namespace hearsay::csv
