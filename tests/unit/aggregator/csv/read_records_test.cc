#include "aggregator/csv/read_records.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

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

const std::string kNoCommas = "; save the file with commas, or give its companion document with --companion";

TEST_CASE("columns are read in any order, booleans in all spellings, and fields also in quotes") {
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
        "CSV, line 1: there is no column for 'member'; column 1 names no attribute of the schema");
}

const std::string kHeader = "member,region,age\n";
const std::string kAge = "column 'age' must be an integer from -1 to 9";
const std::string kMember = "column 'member' must be yes or no, true or false, 1 or 0 (also in capitals)";
const std::string kRegion = "column 'region' must be 'north', 'far, east' or '\"south\"'";
const std::string kQuote = "a quote must be the first and last character of its field, and be doubled within the field";

TEST_CASE("booleans are read in any case, integers in decimal digits, and spaces around fields are ignored") {
  const auto records = read_records(schema(), kHeader + "TRUE,north,5\nNo,north,05\n  False , north\t, -1 \n");
  REQUIRE(records);
  CHECK((*records)[0] == Record::create(schema(), {1, 0, 6}).value());
  CHECK((*records)[1] == Record::create(schema(), {0, 0, 6}).value());
  CHECK((*records)[2] == Record::create(schema(), {0, 0, 0}).value());
  for (const char* age : {"10", "-2", "+5", "5.0", "1e1", "0x5", "5 5", "", "99999999999999999999", "NaN", "\" 5\""}) {
    CAPTURE(age);
    CHECK(message(kHeader + "yes,north," + age + "\n") == "CSV, line 2: " + kAge);
  }
}

TEST_CASE("errors name the line, the column and the accepted values, but not the content of a cell") {
  CHECK(message(kHeader + "yes,north,1\nsecret,north,1\n") == "CSV, line 3: " + kMember);
  CHECK(message(kHeader + "yes,secret,1\n") == "CSV, line 2: " + kRegion);
  CHECK(message(kHeader + "yes,north\n") == "CSV, line 2: a row must have 3 fields like the header");
  CHECK(message(kHeader + "yes,north,1,\n") == "CSV, line 2: a row must have 3 fields like the header");
  const auto named = read_records(schema(), kHeader + "yes,secret,1\n", {.name = "people.csv"});
  REQUIRE_FALSE(named);
  CHECK(named.error().message == "people.csv, line 2: " + kRegion);
}

TEST_CASE("line numbers also count blank lines and quoted line ends") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    CAPTURE(end.size());
    const std::string header = end + "  " + end + "age,region,member" + end;
    CHECK(read_records(schema(), header + end + "1,north,yes" + end + " \t" + end + "2,north,no" + end)->size() == 2);
    CHECK(message(header + end + "1,north,yes" + end + end + "2,north,maybe") == "CSV, line 7: " + kMember);
    // The error gives the line where the row begins.
    CHECK(message(header + "1,\"a" + end + end + "b\",yes" + end + "10,north,no" + end) ==
          "CSV, line 4: " + kRegion + "; line 7: " + kAge);
  }
}

TEST_CASE(
    "all problems are reported, and equal problems are reported together with their first lines and the number of the "
    "others") {
  std::string csv = kHeader;
  for (int i = 0; i < 4; ++i) csv += "yes,north,10\nyes,north,3\n";
  CHECK(message(csv) == "CSV, lines 2, 4, 6 and 8: " + kAge);
  for (int i = 0; i < 4; ++i) csv += "maybe,north,10\n";
  csv += "maybe,nowhere\n";
  CHECK(message(csv) == "CSV, lines 2, 4, 6, 8, 10 and 3 more: " + kAge + "; lines 10, 11, 12 and 13: " + kMember +
                            "; line 14: a row must have 3 fields like the header");

  std::vector<Attribute> attributes;
  std::string names = "b0";
  std::string row = "x";
  for (int i = 0; i < 1000; ++i) attributes.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  for (int i = 1; i < 1000; ++i) names += ",b" + std::to_string(i), row += ",x";
  const Schema wide = Schema::create(attributes).value();
  const std::string text = read_records(wide, names + "\n" + row + "\n" + row + "\n").error().message;
  CHECK(text.starts_with("CSV, lines 2 and 3: column 'b0' must be "));
  CHECK(text.ends_with("; and 1984 more problems"));
  CHECK(text.size() < 2000);
  CHECK(read_records(wide, "x\n").error().message.size() < 500);
  CHECK(read_records(wide, "b0\n").error().message.size() < 500);
}

TEST_CASE("a stray quote ends the reading at its line, and earlier errors are also reported") {
  CHECK(message(kHeader + "yes,north,1\nyes,\"north\"x,1\n") == "CSV, line 3: field 2: " + kQuote);
  CHECK(message(kHeader + "yes,nor\"th,1\n") == "CSV, line 2: field 2: " + kQuote);
  CHECK(message(kHeader + "yes,north,1\nyes,\"north,1\n") ==
        "CSV, line 3: field 2: the quote of a field is never closed");
  // The last row has all its fields, but its quote is never closed.
  CHECK(message("age,member,region\n1,yes,\"north") == "CSV, line 2: field 3: the quote of a field is never closed");
  CHECK(message(kHeader + "yes,\"north,1\nyes,\"north\",1\n") ==
        "CSV, line 3: field 2: " + kQuote + "; the row began in line 2");
  CHECK(message(kHeader + "yes,north,10\nyes,north,1\nyes,\"north\"x,1\n") ==
        "CSV, line 2: " + kAge + "; line 4: field 2: " + kQuote);
  CHECK(message("\"member\"s,region,age\n") == "CSV, line 1: field 1: " + kQuote);
}

TEST_CASE("the errors about a header name the missing, repeated and unknown columns") {
  const std::string wanted = "the first line must name the columns: member, region and age";
  CHECK(message("") == "CSV is empty; " + wanted);
  CHECK(message("\xEF\xBB\xBF\r\n \r\n") == "CSV is empty; " + wanted);
  CHECK(message(kHeader) == "CSV has a header and no record");
  CHECK(message("yes,north,5\nno,north,6\n") == "CSV, line 1: no column has the name of an attribute; " + wanted);
  CHECK(message("member,region\nyes,north\n") == "CSV, line 1: there is no column for 'age'");
  CHECK(message("member,region,age,age\n") == "CSV, line 1: there is more than one column for 'age'");
  CHECK(message("Member,region,region\n") ==
        "CSV, line 1: there is no column for 'member' and 'age'; there is more than one column for 'region'; "
        "column 1 names no attribute of the schema");
}

TEST_CASE(
    "unknown columns are ignored only on request, and the error about a missing column does not quote the other "
    "columns") {
  const std::string csv = "city,member,,region,age,city\nParis,yes,x,north,5,Rome\n";
  const std::string remedy = "; delete unknown columns, or set ignore_unknown_columns (--ignore-unknown-columns)";
  CHECK(message(csv) == "CSV, line 1: columns 1 ('city'), 3 and 6 ('city') name no attribute of the schema" + remedy);
  CHECK(message("member,region,age,\nyes,north,5,\n") ==  // each line ends with a separator
        "CSV, line 1: column 4 names no attribute of the schema" + remedy);
  CHECK(message("member,secret,region\nyes,5,north\n").find("secret") == std::string::npos);
  const auto records = read_records(schema(), csv, {.ignore_unknown_columns = true});
  REQUIRE(records);
  CHECK(*records == std::vector{Record::create(schema(), {1, 0, 6}).value()});
  CHECK_FALSE(read_records(schema(), "member,region,other\nyes,north,5\n", {.ignore_unknown_columns = true}));
  CHECK_FALSE(read_records(schema(), csv + "yes,north,5\n", {.ignore_unknown_columns = true}));
}

TEST_CASE("any text can be the name of a column, and messages show the name unambiguously") {
  const Schema odd = Schema::create({Attribute::boolean("work, paid").value(), Attribute::boolean("\"so\"").value(),
                                     Attribute::range("a;b", 0, 9).value()})
                         .value();
  const auto records = read_records(odd, "a;b,\"work, paid\",\"\"\"so\"\"\"\n3,yes,no\n");
  REQUIRE(records);
  CHECK(*records == std::vector{Record::create(odd, {1, 0, 3}).value()});
  CHECK(read_records(odd, "").error().message ==
        "CSV is empty; the first line must name the columns: \"work, paid\", \"\"\"so\"\"\" and a;b");
  CHECK(read_records(odd, "a;b,\"\"\"so\"\"\"\n3,yes\n").error().message ==
        "CSV, line 1: there is no column for \"work, paid\"");
  CHECK(read_records(odd, "a;b,\"work, paid\",\"\"\"so\"\"\"\n10,yes,no\n").error().message ==
        "CSV, line 2: column \"a;b\" must be an integer from 0 to 9");
  // The header has one column, whose name contains a character that could separate columns.
  const Schema single = Schema::create({Attribute::range("a;b", 0, 9).value()}).value();
  CHECK(read_records(single, "a;b\n3\n"));
  CHECK(read_records(single, "a;c\n3\n").error().message == "CSV, line 1: semicolons separate the columns" + kNoCommas);
}

TEST_CASE("the errors about a file with another separator or encoding name the separator or encoding") {
  CHECK(message("member;region;age\nyes;north;5\n") == "CSV, line 1: semicolons separate the columns" + kNoCommas);
  CHECK(message("\"member\";\"region\";\"age\"\n") == "CSV, line 1: semicolons separate the columns" + kNoCommas);
  CHECK(message("\nmember\tregion\tage\n") == "CSV, line 2: tabs separate the columns" + kNoCommas);
  CHECK(message("member|region|age\n") == "CSV, line 1: vertical bars separate the columns" + kNoCommas);
  std::string utf16 = "\xFF\xFE";
  for (const char c : kHeader) utf16 += {c, '\0'};
  CHECK(message(utf16) == "CSV, line 1: not UTF-8 but UTF-16; save the text as UTF-8");
  CHECK(message(utf16.substr(2)) == "CSV, line 1: not UTF-8 but UTF-16; save the text as UTF-8");
  CHECK(message(kHeader + "yes,north,1\nyes,caf\xE9,1\n") == "CSV, line 3: not UTF-8");
  CHECK(message(kHeader + "yes,north,1" + '\0' + "\n") == "CSV, line 2: a zero byte, which text does not have");
}

TEST_CASE("a field of a megabyte is read, and a hundred thousand columns are refused") {
  const std::string field(std::size_t{1} << 20U, 'x');
  CHECK(message(kHeader + "yes," + field + ",1\n") == "CSV, line 2: " + kRegion);
  CHECK(message(kHeader + "yes,north,1," + field + "\nyes,north,1\n") ==
        "CSV, line 2: a row must have 3 fields like the header");
  CHECK(message(std::string(100'000, ',') + "\n") == "CSV, line 1: more than 65536 columns");
  CHECK(message(kHeader + std::string(100'000, ',') + "\n") == "CSV, line 2: a row must have 3 fields like the header");
}

}  // namespace
}  // namespace hearsay::csv
