#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/layout.h"
#include "aggregator/console/arguments.h"
#include "common/base/strict_json.h"
#include "hearsay/companion.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/temporary_file.h"

namespace hearsay::cli {
namespace {

using tests::TemporaryFile;
using Words = std::vector<std::string>;

struct Said {
  Result<int> status;
  std::string out;
  std::string error;
};

Said say(const Words& words) {
  CLI::App app("", "hearsay");
  console::Action chosen;
  add_schema_command(app, chosen);
  add_design_command(app, chosen);
  REQUIRE_FALSE(console::parse_arguments(app, words));
  std::ostringstream out;
  std::ostringstream error;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const errors_before = std::cerr.rdbuf(error.rdbuf());
  Result<int> status = chosen();
  std::cout.rdbuf(before);
  std::cerr.rdbuf(errors_before);
  return {std::move(status), out.str(), error.str()};
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const std::string kPeople =
    "id;Smoker?;Age;Region\n1;yes;33;north\n2;no;NA;south\n3;yes;55;north\n4;no;20;north\n5;yes;33;south\n";

TEST_CASE("schema says how each column is read, warns, and writes both documents") {
  const TemporaryFile csv(kPeople);
  const tests::TemporaryDirectory directory;
  const std::string schema_file = directory / "schema.json";
  const std::string companion_file = directory / "companion.json";
  const Said said = say({"schema", csv.path(), "--write", schema_file, "--companion", companion_file});
  REQUIRE(said.status);
  CHECK(contains(said.out, "5 rows, 4 columns, semicolons between them; 3 attributes"));
  CHECK(contains(said.out, "left out"));
  CHECK(contains(said.out, "The schema and the companion document become public."));
  // The file's name may be long, so the lines are read after it.
  std::istringstream lines(said.out.substr(said.out.find("\n\n")));
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 2 * kColumns, line);

  const Schema schema = Schema::parse(tests::read_file(schema_file)).value();
  REQUIRE(schema.size() == 3);
  CHECK(schema[1].min() == 19);  // 19 stands for missing ages, and is below the smallest age
  const Companion companion = Companion::parse(schema, tests::read_file(companion_file)).value();
  CHECK(companion.record({{"Smoker?", "YES"}, {"Age", ""}, {"Region", "south"}}).value() ==
        Record::create(schema, {1, 0, 1}).value());

  CHECK(say({"schema", csv.path(), "--companion", companion_file}).status.error().code == ErrorCode::kInvalidArgument);
  CHECK(say({"schema", csv.path(), "--companion", companion_file, "--overwrite"}).status);
}

TEST_CASE("schema says in plain words why a column holds no numbers, and which values are rare") {
  std::string text = "Height\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(150 + i % 10) + "\n";
  const TemporaryFile csv(text + "thirty\n");
  const Said said = say({"schema", csv.path(), "-o", "json"});
  REQUIRE_MESSAGE(said.status, said.status.error().message);
  const std::string why = parse_json(said.out)->at("columns").at(0).at("why");
  CHECK(contains(why, "numbers, except in line 42; --missing with the text of this line keeps the numbers"));
  CHECK(contains(why, "; 11 values occur in fewer than 5 rows each"));
  CHECK_FALSE(contains(why, "thirty"));
  const Said kept = say({"schema", csv.path(), "--missing", "thirty"});
  REQUIRE_MESSAGE(kept.status, kept.status.error().message);
  CHECK(contains(kept.out, ": 41 rows, 1 column; 1 attribute\n"));

  const TemporaryFile constant("a,b\nyes,red\nno,red\nyes,\n");
  CHECK(contains(say({"schema", constant.path(), "-o", "csv"}).out,
                 "the same text in every row; 1 row without a text\r\n"));
}

TEST_CASE("the JSON of `schema` holds both documents and follows the options, and wrong options are refused") {
  const TemporaryFile csv(kPeople);
  const Said said = say({"schema", csv.path(), "-o", "json", "--leave-out", "Region", "--missing", "20", "--missing",
                         "NA", "--missing", " NA "});
  REQUIRE_MESSAGE(said.status, said.status.error().message);
  const Json json = parse_json(said.out).value();
  CHECK(json.at("rows") == 5);
  CHECK(json.at("columns").size() == 4);
  CHECK(json.at("schema").size() == 2);
  CHECK(json.at("schema").at(1).at("min") == 32);
  CHECK(json.at("companion").at("attributes").at(1).at("missing").at("texts") == Json({"", "20", "NA"}));
  CHECK(json.at("warnings").size() == 1);
  for (const Words& wrong : std::vector<Words>{{"--separator", "x"},
                                               {"--decimal-mark", ";"},
                                               {"--date-order", "ydm"},
                                               {"--keep", "Sex"},
                                               {"--encoding", "klingon"}}) {
    Words words{"schema", csv.path()};
    words.insert(words.end(), wrong.begin(), wrong.end());
    const Said refused = say(words);
    REQUIRE_FALSE(refused.status);
    CHECK(refused.status.error().code == ErrorCode::kInvalidArgument);
    CHECK(contains(refused.status.error().message, wrong[0]));
  }
}

TEST_CASE("design of a CSV file plans for the proposed schema, and design prints warnings") {
  const TemporaryFile csv(kPeople);
  const tests::TemporaryDirectory directory;
  const std::string schema_file = directory / "schema.json";
  REQUIRE(say({"schema", csv.path(), "--write", schema_file}).status);
  const Words query{"--epsilon", "1", "\"Smoker?\" and Region = north", "-o", "csv"};
  Words of_csv{"design", csv.path()};
  Words of_schema{"design", schema_file};
  of_csv.insert(of_csv.end(), query.begin(), query.end());
  of_schema.insert(of_schema.end(), query.begin(), query.end());
  const Said from_csv = say(of_csv);
  REQUIRE_MESSAGE(from_csv.status, from_csv.status.error().message);
  CHECK(from_csv.out == say(of_schema).out);
  CHECK(contains(from_csv.error, "3 attributes proposed from 5 rows, 1 column left"));
  CHECK(contains(from_csv.error, "warning: no query names Age:"));
  CHECK_FALSE(contains(from_csv.error, "epsilon"));

  const Said large = say({"design", schema_file, "--epsilon", "8.1", "--conjunctions", "1", "-o", "json"});
  REQUIRE(large.status);
  CHECK(contains(large.error, "warning: epsilon 8.1 is beyond"));
  CHECK_FALSE(contains(large.error, "is not asked for"));
  CHECK(parse_json(large.out).value().at("warnings").size() == 1);
  CHECK(say({"design", schema_file, "--epsilon", "8", "--conjunctions", "1", "-o", "csv"}).error.empty());

  const TemporaryFile broken("Smoker?\n\"yes\n");
  const Said refused = say({"design", broken.path(), "--epsilon", "1", "\"Smoker?\""});
  REQUIRE_FALSE(refused.status);
  CHECK(contains(refused.status.error().message, "line 2: field 1: the quote of a field is never closed"));
}

}  // namespace
}  // namespace hearsay::cli
