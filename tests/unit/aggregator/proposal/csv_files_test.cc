// For each unusual file of csv_files, expected.json has the result or the error.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "aggregator/csv/read_records.h"
#include "aggregator/proposal/propose.h"
#include "common/base/strict_json.h"
#include "tests/support/golden.h"

namespace hearsay::proposal {
namespace {

ProposalOptions options_of(const Json& json) {
  ProposalOptions options;
  for (const auto& [key, value] : json.items()) {
    if (key == "separator")
      options.layout.separator = value.get<std::string>()[0];
    else if (key == "encoding")
      options.layout.encoding = value.get<std::string>();
    else if (key == "decimal_mark")
      options.decimal_mark = value.get<std::string>()[0];
    else if (key == "date_order")
      options.guess.date_order = DateOrder::kMonthDayYear;
    else if (key == "most_values")
      options.guess.most_values = value.get<std::size_t>();
    else if (key == "most_steps")
      options.guess.most_steps = value.get<std::size_t>();
    else if (key == "keep")
      options.keep = value.get<std::vector<std::string>>();
    else if (key == "leave_out")
      options.leave_out = value.get<std::vector<std::string>>();
    else if (key == "missing") {
      options.guess.missing = value.get<std::vector<std::string>>();
      options.guess.missing.insert(options.guess.missing.begin(), "");
    } else
      FAIL("an unknown option of expected.json: ", key);
  }
  return options;
}

std::map<std::string, std::vector<std::string>> values_of(const Schema& schema, const std::vector<Record>& records) {
  std::map<std::string, std::vector<std::string>> values;
  for (const Record& record : records) {
    for (std::size_t i = 0; i < schema.size(); ++i) values[schema[i].name()].push_back(schema[i].value_text(record[i]));
  }
  return values;
}

void check_read(const Json& expected, std::string_view bytes, const Result<Proposal>& proposal) {
  REQUIRE_MESSAGE(proposal, proposal.error().message);
  CHECK(proposal->rows == expected.at("rows").get<std::size_t>());
  const auto records = csv::read_records(proposal->companion, bytes, "file");
  REQUIRE(records);
  const auto wanted = expected.at("values").get<std::map<std::string, std::vector<std::string>>>();
  CHECK(values_of(proposal->schema, *records) == wanted);
  std::vector<std::string> left_out;
  for (const Decision& decision : proposal->decisions) {
    CHECK_FALSE(decision.why.empty());
    if (decision.attribute.empty()) left_out.push_back(decision.column);
    if (expected.contains("why") && expected.at("why").contains(decision.column)) {
      CHECK(decision.why.find(expected.at("why").at(decision.column).get<std::string>()) != std::string::npos);
    }
  }
  CHECK(left_out == expected.value("left_out", std::vector<std::string>()));
}

TEST_CASE("unusual CSV files are read correctly, or refused with the line and the reason") {
  const auto folder = tests::tests_directory() / "unit/aggregator/proposal/csv_files";
  const Json all = parse_json(tests::read_file(folder / "expected.json")).value();
  CHECK(all.size() >= 60);
  for (const Json& expected : all) {
    const std::string file = expected.at("file").get<std::string>();
    CAPTURE(file);
    const std::string bytes = tests::read_file(folder / file);
    const auto proposal = propose(bytes, options_of(expected.value("options", Json::object())), file);
    if (!expected.contains("error")) {
      check_read(expected, bytes, proposal);
      continue;
    }
    REQUIRE_FALSE(proposal);
    CAPTURE(proposal.error().message);
    CHECK(error_name(proposal.error().code) == expected.at("error").get<std::string>());
    CHECK(proposal.error().message.find(expected.at("message").get<std::string>()) != std::string::npos);
  }
}

TEST_CASE("expected.json names every file of its folder") {
  const auto folder = tests::tests_directory() / "unit/aggregator/proposal/csv_files";
  const Json all = parse_json(tests::read_file(folder / "expected.json")).value();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "expected.json") continue;
    CAPTURE(name);
    CHECK(std::any_of(all.begin(), all.end(), [&](const Json& one) { return one.at("file") == name; }));
  }
}

}  // namespace
}  // namespace hearsay::proposal
