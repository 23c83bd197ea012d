#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "aggregator/cli/commands.h"
#include "aggregator/cli/layout.h"
#include "aggregator/console/arguments.h"
#include "common/arrangement/arrangement.h"
#include "common/base/strict_json.h"
#include "hearsay/task.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_file.h"

namespace hearsay::cli {
namespace {

struct Answer {
  Result<int> status;
  std::string text;
};

Answer bounds_command(std::vector<std::string> words) {
  words.insert(words.begin(), "bounds");
  CLI::App app("", "hearsay");
  console::Action chosen;
  add_bounds_command(app, chosen);
  REQUIRE_FALSE(console::parse_arguments(app, words));
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  Result<int> status = chosen();
  std::cout.rdbuf(before);
  return {std::move(status), out.str()};
}

bool fits_columns(const std::string& text) {
  std::size_t columns = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    columns = c == '\n' ? 0 : columns + 1;
    if (columns > kColumns) return false;
  }
  return true;
}

TEST_CASE("bounds says in plain words what is impossible and what is possible, in 100 columns") {
  const Answer parities = bounds_command({"parities", "--attributes", "3", "--epsilon", "0.5", "--dimensions", "5"});
  CHECK(parities.status.value() == 0);
  CHECK(fits_columns(parities.text));
  CHECK(parities.text.find("Not possible with fewer than") != std::string::npos);
  CHECK(parities.text.find("Not possible for many attributes") != std::string::npos);
  CHECK(parities.text.find("Possible with") != std::string::npos);
  CHECK(parities.text.find("Projected to 5 dimensions") != std::string::npos);
  const Answer monomials = bounds_command({"monomials", "--attributes", "2"});
  CHECK(monomials.text.find("Possible for many attributes") != std::string::npos);
  CHECK(fits_columns(monomials.text));
}

TEST_CASE("for a file of queries, JSON and CSV have the same numbers, low before high") {
  const tests::TemporaryFile file("1 1\n1 -1\n-1 1\n-1 -1\n");
  const Answer json_answer = bounds_command({"--matrix", file.path(), "-o", "json"});
  const Json json = parse_json(json_answer.text).value();
  CHECK(json["forster"]["low"].get<double>() == doctest::Approx(std::sqrt(2.0)).epsilon(1e-6));
  CHECK(json["row_margin"]["low"].get<double>() <= json["row_margin"]["high"].get<double>());
  CHECK(json["row_margin"]["high"].get<double>() == doctest::Approx(std::sqrt(0.5)).epsilon(1e-6));
  CHECK(json["queries"] == 2);
  CHECK_FALSE(json.contains("planned"));
  CHECK(bounds_command({"--matrix", file.path(), "-o", "csv"}).text.find("needed_hellinger") != std::string::npos);
}

TEST_CASE("bounds writes a task with the arrangement that it finds, and gives the loss from rounding") {
  const tests::TemporaryFile file("");
  const Answer whole = bounds_command(
      {"thresholds", "--attributes", "1", "--values", "5", "--write", file.path(), "--overwrite", "-o", "json"});
  REQUIRE(whole.status);
  const Json written = parse_json(whole.text).value().at("written");
  const Task task = Task::parse(tests::read_file(file.path())).value();
  const auto& spec = std::get<ExplicitSpec>(task.spec().arrangement);
  CHECK(written.at("task") == task.id().to_string());
  CHECK(written.at("dimensions") == spec.dimension);
  CHECK(written.at("sensitivity") == task.arrangement().sensitivity().value());
  CHECK(spec.queries.size() == 4);
  CHECK(std::abs(written.at("margin").get<double>() - written.at("margin_before").get<double>()) < 0.02);

  const Answer projected = bounds_command(
      {"thresholds", "--attributes", "1", "--values", "5", "--dimensions", "7", "--write", file.path(), "--overwrite"});
  REQUIRE(projected.status);
  CHECK(fits_columns(projected.text));
  CHECK(projected.text.find("Wrote ") != std::string::npos);
  CHECK(projected.text.find("6 dimensions") != std::string::npos);  // the padding of the vectors is left out
  CHECK(Task::parse(tests::read_file(file.path())).value().id() != task.id());

  const tests::TemporaryFile matrix("-1 1\n1 1\n1 -1\n");
  REQUIRE(bounds_command({"--matrix", matrix.path(), "--write", file.path(), "--overwrite"}).status);
  const Task numbered = Task::parse(tests::read_file(file.path())).value();
  CHECK(numbered.schema()[0].name() == "record");
  CHECK(std::get<ExplicitSpec>(numbered.spec().arrangement).queries[0].query == "record <= 1");
  CHECK(bounds_command({"--matrix", matrix.path(), "--write", file.path()}).status.error().code ==
        ErrorCode::kInvalidArgument);  // the file exists already
}

TEST_CASE("bounds refuses malformed files, unknown classes and numbers out of range with typed errors") {
  const tests::TemporaryFile ragged("1 1\n1\n");
  const Answer answer = bounds_command({"--matrix", ragged.path()});
  CHECK(answer.status.error().code == ErrorCode::kInvalidArgument);
  CHECK(answer.status.error().message.find("line 2") != std::string::npos);
  const tests::TemporaryFile nan("nan 1\n");
  CHECK(bounds_command({"--matrix", nan.path()}).status.error().code == ErrorCode::kInvalidArgument);
  CHECK(bounds_command({"polynomials"}).status.error().code == ErrorCode::kInvalidArgument);
  CHECK(bounds_command({}).status.error().code == ErrorCode::kInvalidArgument);
  CHECK(bounds_command({"parities", "--matrix", nan.path()}).status.error().code == ErrorCode::kInvalidArgument);
  CHECK(bounds_command({"parities", "--epsilon", "0"}).status.error().code == ErrorCode::kInvalidArgument);
  CHECK(bounds_command({"parities", "--beta", "0.7"}).status.error().code == ErrorCode::kInvalidArgument);
  CHECK(bounds_command({"boxes", "--attributes", "8", "--values", "900"}).status.error().code ==
        ErrorCode::kLimitExceeded);
  CHECK(bounds_command({"parities", "--attributes", "7", "--dimensions", "9"}).status.error().code ==
        ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hearsay::cli
