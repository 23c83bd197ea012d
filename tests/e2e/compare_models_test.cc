// Tests the example program compare_models as a person runs it.
#include <doctest/doctest.h>

#include <algorithm>

#include "common/base/strict_json.h"
#include "tests/e2e/process.h"
#include "tests/support/temporary_file.h"

namespace hearsay::e2e {
namespace {

using tests::TemporaryFile;

TEST_CASE("compare_models answers on the built-in table in all three formats") {
  const std::vector<std::string> few{"--users", "2000", "--runs", "2", "-o"};
  const auto in_format = [&few](const char* format) {
    std::vector<std::string> arguments = few;
    arguments.emplace_back(format);
    return run(kCompareModels, arguments);
  };
  const Output json = in_format("json");
  REQUIRE(json.status == 0);
  const Json document = parse_json(json.text).value();
  CHECK(document.at("users") == 2000);
  REQUIRE(document.at("mechanisms").size() == 10);
  double local = 0;
  double central = 0;
  for (const Json& mechanism : document.at("mechanisms")) {
    CHECK(mechanism.at("neighbours") == "replace-one");
    if (mechanism.at("name") == "planned groups") local = mechanism.at("rmse").get<double>();
    if (mechanism.at("name") == "Laplace counts") central = mechanism.at("rmse").get<double>();
  }
  CHECK(central > 0);
  CHECK(central < local);
  const Output csv = in_format("csv");
  CHECK(csv.text.starts_with("mechanism,guarantee,"));
  CHECK(std::count(csv.text.begin(), csv.text.end(), '\n') == 11);
  CHECK(in_format("text").text.find("for all answers of a mechanism together") != std::string::npos);
}

TEST_CASE("compare_models names the fault of bad input, and exits with the status of an error") {
  const TemporaryFile schema(R"([{"name": "b", "type": "boolean"}])");
  const TemporaryFile people("b\nyes\nno\n");
  const TemporaryFile wrong("b\nyes\nperhaps\n");
  const TemporaryFile empty("");
  const TemporaryFile latin("b\nyes\ncaf\xE9\n");
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"--epsilon", "0"}, "--epsilon"},
      {{"--epsilon", "NaN"}, "epsilon"},
      {{"--epsilon", "710"}, "epsilon"},
      {{"--epsilon", "1e-300"}, "epsilon"},
      {{"--users", "0"}, "--users"},
      {{"--runs", "1"}, "--runs"},
      {{"--synthetic", "0", "--query", "a0"}, "--synthetic"},
      {{"--query", "nobody"}, "unknown_attribute"},
      {{"--query", "admitted and"}, "query_syntax"},
      {{"--queries", "/nonexistent"}, "cannot read"},
      {{"--svg", "/nonexistent/chart.svg"}, "cannot write"},
      {{"--other", "--svg", "chart.svg"}, "--svg excludes --other"},
      {{"--other", "--query", "admitted"}, "--query excludes --other"},
      {{"--csv", people.path()}, "--schema"},
      {{"--csv", "/nonexistent", "--schema", schema.path(), "--query", "b"}, "io: "},
      {{"--csv", people.path(), "--schema", "/nonexistent", "--query", "b"}, "cannot read"},
      {{"--csv", people.path(), "--schema", schema.path()}, "no query given"},
      {{"--csv", wrong.path(), "--schema", schema.path(), "--query", "b"}, ", line 3: column 'b' must be yes or no"},
      {{"--csv", empty.path(), "--schema", schema.path(), "--query", "b"}, " is empty; the first line must name"},
      {{"--csv", latin.path(), "--schema", schema.path(), "--query", "b"}, ", line 3: not UTF-8"},
  };
  for (const auto& sample : cases) {
    CAPTURE(sample.second);
    const Output output = run(kCompareModels, sample.first);
    CHECK(output.status == 2);
    CHECK(output.text.find(sample.second) != std::string::npos);
    CHECK(output.text.find("perhaps") == std::string::npos);
  }
}

}  // namespace
}  // namespace hearsay::e2e
