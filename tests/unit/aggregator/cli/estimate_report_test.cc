#include "aggregator/cli/estimate_report.h"

#include <doctest/doctest.h>

#include "aggregator/cli/layout.h"
#include "common/base/strict_json.h"

namespace hearsay::cli {
namespace {

bool fits_100(const std::string& text) {
  std::size_t columns = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    columns = c == '\n' ? 0 : columns + 1;
    if (columns > kColumns) return false;
  }
  return true;
}

// Returns estimates with the widest possible numbers and a query of 150 characters.
Json estimates() {
  Json wide = parse_json(R"({"value": -1.2345e-05, "standard_error": 1.2345e-05, "normal": [-2e-05, 1e-05],
      "guaranteed": [-1.2345e-03, 1.2345e-03], "influence": 1.2345e-05, "guarantee": "worst-case", "warnings": []})")
                  .value();
  wide["query"] = "smoker" + std::string(16, ' ') + std::string(128, 'x');
  Json average = wide;
  average["query"] = "smoker and cyclist";
  average["guarantee"] = "average-case";
  average["fit"] = parse_json(R"({"query": {"p": 0.25}})").value();
  average["warnings"] = parse_json(R"(["the answer says nothing yet", "few reports"])").value();
  average["projected"] = 0.125;
  const Json failed = parse_json(R"({"query": "pilot", "error": {"type": "urn:hearsay:error:query_not_covered",
                                     "detail": "this task never asks for it"}})")
                          .value();
  return Json::array({wide, average, failed});
}

TEST_CASE("the readable form of estimates fits 100 columns and shows the whole query") {
  const std::string text = text_of_estimates(estimates(), false);
  CAPTURE(text);
  CHECK(fits_100(text));
  CHECK(text.starts_with("     value  std error"));
  CHECK(text.find("1.23e-05") != std::string::npos);
  std::size_t letters = 0;
  for (const char c : text) letters += c == 'x' ? 1 : 0;
  CHECK(letters >= 128);
  CHECK(text.find("`smoker and cyclist`: average-case, p-value of this assumption 0.25\n") != std::string::npos);
  CHECK(text.find("`smoker and cyclist`: few reports\n") != std::string::npos);
  CHECK(text.find("`pilot`: query_not_covered: this task never asks for it\n") != std::string::npos);
  CHECK(text.find("projected") == std::string::npos);
  CHECK(text.find("1.5e-05       0.00123") != std::string::npos);

  CHECK(text.find("normal ±: half the width of") != std::string::npos);
  CHECK(text_of_estimates(Json::array({estimates()[2]}), false).find("normal ±: half the width of") ==
        std::string::npos);
  const std::string projected = text_of_estimates(estimates(), true);
  CHECK(fits_100(projected));
  CHECK(projected.find("projected  query") != std::string::npos);
  CHECK(projected.find("0.125  smoker and cyclist\n") != std::string::npos);
}

TEST_CASE("the readable form of cells fits 100 columns and shows that text was cut") {
  const std::string long_value(120, 'v');
  const Schema schema = Schema::create({Attribute::categorical("job", {"none", long_value}).value(),
                                        Attribute::range("age", 30, 31).value()})
                            .value();
  const Json table = parse_json(R"({"attributes": ["job", "age"], "values": [0.1, 0.2, -1.2345e-05, 0.4],
      "standard_errors": [0.1, 0.1, 0.1, 0.1], "quantile": 1.96, "projected": [0.1, 0.2, 5e-12, 0.4]})")
                         .value();
  const std::string text = text_of_cells(table, schema).value();
  CAPTURE(text);
  CHECK(fits_100(text));
  CHECK(text.find("…: a text was cut; -o csv prints all texts in full\n") != std::string::npos);
  CHECK(text.find("0.196") != std::string::npos);
  CHECK(text.find("e-12") == std::string::npos);
  Json other = table;
  other["attributes"][0] = "work";
  CHECK(text_of_cells(other, schema).error().code == ErrorCode::kTaskMismatch);
}

}  // namespace
}  // namespace hearsay::cli
