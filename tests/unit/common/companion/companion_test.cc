#include "hearsay/companion.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/json_text.h"
#include "common/base/strict_json.h"

namespace hearsay {
namespace {

Schema schema() {
  return Schema::create({Attribute::boolean("smoker").value(),
                         Attribute::categorical("region", {"north", "south", "elsewhere", "missing"}).value(),
                         Attribute::range("age", 17, 99).value(), Attribute::range("income", 0, 200).value(),
                         Attribute::categorical("bmi", {"low", "high"}).value(),
                         Attribute::range("born", 1990, 1991).value()})
      .value();
}

Json document() {
  return parse_json(R"({
    "version": 1,
    "csv": {"separator": ";", "encoding": "windows-1252"},
    "attributes": [
      {"attribute": "smoker", "column": "Do you smoke?", "kind": "texts", "texts": {"yes": ["yes"], "no": ["no"]}},
      {"attribute": "region", "column": "Region", "kind": "texts", "texts": {"north": ["N"], "south": ["S", "Süd"]},
       "other": "elsewhere", "missing": {"value": "missing", "texts": ["", "NA"]}},
      {"attribute": "age", "column": "Age", "kind": "integer", "outside": "clamp",
       "missing": {"value": "17", "texts": [""]}},
      {"attribute": "income", "column": "Income", "kind": "steps", "step": "1000", "outside": "clamp",
       "decimal_mark": ",", "grouping": "."},
      {"attribute": "bmi", "column": "BMI", "kind": "bins", "edges": ["10", "25", "70"], "outside": "refuse"},
      {"attribute": "born", "column": "Born", "kind": "dates", "order": "dmy", "outside": "clamp",
       "edges": ["1990-01-01", "1991-01-01", "1992-01-01"]}
    ]})")
      .value();
}

Result<Companion> parse(const Json& json) { return Companion::parse(schema(), json_text(json)); }

const std::vector<RawText> kTexts{{"Do you smoke?", " yes"}, {"Region", "Süd"}, {"Age", "33"},
                                  {"Income", "45.999,99"},   {"BMI", "25"},     {"Born", "31.12.1990"},
                                  {"Name", "ignored"}};

TEST_CASE("a record can be made of raw texts, from a list or from JSON") {
  const auto companion = parse(document());
  REQUIRE_MESSAGE(companion, companion.error().message);
  const Record expected = Record::create(schema(), {1, 1, 16, 45, 1, 0}).value();
  CHECK(companion->record(kTexts).value() == expected);
  Json json = Json::object();
  for (const RawText& raw : kTexts) json[raw.column] = raw.text;
  CHECK(companion->record_from_json(json_text(json)).value() == expected);
  CHECK(companion->column(1) == "Region");
  CHECK(companion->csv().separator == ';');
  CHECK(companion->csv().encoding == "windows-1252");
}

TEST_CASE("for a text without a value the message names attribute and column, but not the text") {
  const Companion companion = parse(document()).value();
  const auto message = [&](std::size_t place, const std::string& text) {
    auto texts = kTexts;
    texts[place].text = text;
    const auto record = companion.record(texts);
    REQUIRE_FALSE(record);
    CHECK(record.error().code == ErrorCode::kInvalidRecord);
    CHECK(record.error().message.find("secret") == std::string::npos);
    return record.error().message;
  };
  CHECK(message(0, "secret") ==
        "attribute smoker: column \"Do you smoke?\" must be one of the texts of the companion document, for yes or no");
  CHECK(message(2, "secret") == "attribute age: column \"Age\" must be a whole number, or empty");
  CHECK(message(3, "secret") == "attribute income: column \"Income\" must be a number with the decimal mark ,");
  CHECK(message(4, "70") ==
        "attribute bmi: column \"BMI\" must be a number with the decimal mark . within the ends of the companion "
        "document");
  CHECK(message(5, "secret") == "attribute born: column \"Born\" must be a day like 31.12.2024");
  CHECK(companion.record({}).error().message == "attribute smoker: there is no text of column \"Do you smoke?\"");
  auto twice = kTexts;
  twice.push_back({"Age", "33"});
  CHECK(companion.record(twice).error().message == "attribute age: there is more than one text of column \"Age\"");
  CHECK(companion.record_from_json("[]").error().code == ErrorCode::kInvalidRecord);
  CHECK(companion.record_from_json(R"({"Age": 33})").error().code == ErrorCode::kInvalidRecord);
  CHECK(companion.record_from_json("{").error().code == ErrorCode::kMalformedJson);
}

TEST_CASE("the message lists the first of many texts that mean a missing value") {
  const auto accepted = [](const std::vector<std::string>& texts) {
    Json json = document();
    json["attributes"][2]["missing"]["texts"] = texts;
    return parse(json).value().accepted_texts(2);
  };
  CHECK(accepted({"", "NA"}) == "a whole number, or empty or \"NA\"");
  CHECK(accepted({"a", "b", "c", "d", "e", "f", "g", "h", "i"}).ends_with("\"g\" or \"h\", …"));
}

TEST_CASE("the error about a malformed document has the path of the field") {
  using Spoil = std::function<void(Json&)>;
  struct Case {
    Spoil spoil;
    ErrorCode code;
    std::string message;
  };
  const auto at = [](std::size_t i, const char* key, Json value) -> Spoil {
    return [=](Json& json) { json["attributes"][i][key] = value; };
  };
  const auto without = [](std::size_t i, const char* key) -> Spoil {
    return [=](Json& json) { json["attributes"][i].erase(key); };
  };
  const auto invalid = ErrorCode::kInvalidArgument;
  const std::vector<Case> cases{
      {[](Json& json) { json = Json::array(); }, ErrorCode::kWrongType, "companion must be"},
      {[](Json& json) { json["version"] = 2; }, invalid, "companion.version is 2"},
      {[](Json& json) { json["version"] = 2, json["schema"] = Json::array(); }, invalid, "this is a task document"},
      {[](Json& json) { json["version"] = 1.0; }, ErrorCode::kWrongType, "companion.version"},
      {[](Json& json) { json["extra"] = 1; }, ErrorCode::kUnknownKey, "companion"},
      {[](Json& json) { json.erase("attributes"); }, ErrorCode::kMissingKey, "companion"},
      {[](Json& json) { json["csv"]["separator"] = "x"; }, invalid, "csv.separator"},
      {[](Json& json) { json["csv"]["encoding"] = "UTF-8//IGNORE"; }, invalid, "csv.encoding"},
      {[](Json& json) { json["csv"]["quote"] = "'"; }, ErrorCode::kUnknownKey, "csv"},
      {[](Json& json) { json["attributes"].erase(0); }, invalid,
       "companion.attributes has no rule for attribute smoker"},
      {[](Json& json) { json["attributes"].push_back(json["attributes"][0]); }, invalid,
       "attributes[6] is the second rule"},
      {at(0, "attribute", "age group"), invalid, "attributes[0].attribute is no attribute"},
      {at(0, "colour", "red"), ErrorCode::kUnknownKey, "attributes[0]"},
      {at(0, "outside", "clamp"), ErrorCode::kUnknownKey, "attributes[0]"},
      {at(0, "kind", "word"), invalid, "attributes[0].kind"},
      {at(0, "column", " Age"), invalid, "attributes[0].column begins or ends with white space"},
      {at(0, "column", std::string(1025, 'x')), ErrorCode::kLimitExceeded, "attributes[0].column"},
      {at(0, "texts", {{"yes", {"yes"}}}), invalid, "attributes[0].texts has no text for \"no\""},
      {at(0, "texts", {{"yes", {"yes"}}, {"no", Json::array()}}), invalid, "attributes[0].texts.\"no\""},
      {at(0, "texts", {{"yes", {"yes"}}, {"no", {"yes"}}}), invalid,
       "attributes[0].texts.\"yes\"[0] repeats a text of this attribute"},
      {at(0, "texts", {{"yes", {"y", "y"}}, {"no", {"n"}}}), invalid,
       "attributes[0].texts.\"yes\"[1] repeats a text of this attribute"},
      {at(0, "texts", {{"yes", {"y "}}, {"no", {"n"}}}), invalid, "attributes[0].texts.\"yes\"[0] begins or ends"},
      {at(0, "texts", {{"yes", {1}}, {"no", {"n"}}}), ErrorCode::kWrongType, "attributes[0].texts.\"yes\"[0]"},
      {at(0, "texts", {{"YES", {"y"}}, {"no", {"n"}}}), invalid, "attributes[0].texts.\"YES\" must be a value"},
      {at(0, "texts", "yes"), ErrorCode::kWrongType, "attributes[0].texts"},
      {at(1, "other", "west"), invalid, "attributes[1].other must be a value"},
      {at(1, "missing", {{"value", "missing"}, {"texts", {"N"}}}), invalid, "attributes[1].texts.\"north\"[0]"},
      {at(1, "missing", {{"value", "missing"}}), ErrorCode::kMissingKey, "attributes[1].missing"},
      {at(2, "missing", {{"value", "50"}, {"texts", {""}}}), invalid, "attributes[2].missing: the value"},
      {at(2, "missing", {{"value", "017"}, {"texts", {""}}}), invalid, "attributes[2].missing.value"},
      {at(2, "outside", "drop"), invalid, "attributes[2].outside"},
      {without(2, "outside"), ErrorCode::kMissingKey, "attributes[2]"},
      {at(2, "step", "1"), ErrorCode::kUnknownKey, "attributes[2]"},
      {at(3, "step", "0"), invalid, "attributes[3].step must be above 0"},
      {at(3, "step", "-1"), invalid, "attributes[3].step must be above 0"},
      {at(3, "step", "1e3"), invalid, "attributes[3].step must be a number"},
      {at(3, "step", "NaN"), invalid, "attributes[3].step must be a number"},
      {at(3, "step", "0.0000000000000000001"), invalid, "attributes[3].step must be a number"},
      {at(3, "step", "1000000000000000000"), invalid, "attributes[3].step must be a number"},
      {at(3, "step", "999999999999999999"), invalid, "attributes[3].step is too large"},
      {at(3, "step", 1000), ErrorCode::kWrongType, "attributes[3].step"},
      {at(3, "grouping", ","), invalid, "attributes[3].grouping must be another character than decimal_mark"},
      {at(3, "decimal_mark", ";"), invalid, "attributes[3].decimal_mark"},
      {at(4, "kind", "integer"), ErrorCode::kUnknownKey, "attributes[4]"},
      {at(4, "edges", {"10", "25"}), invalid, "attributes[4].edges must have 3 edges"},
      {at(4, "edges", {"10", "25", "25.0"}), invalid, "attributes[4].edges[2] must be above"},
      {at(4, "edges", {"10", 25, "70"}), ErrorCode::kWrongType, "attributes[4].edges[1]"},
      {at(4, "edges", {"10", "25,5", "70"}), invalid, "attributes[4].edges[1] must be a number"},
      {at(5, "order", "ydm"), invalid, "attributes[5].order"},
      {at(5, "edges", {"1990-01-01", "1991-1-1", "1992-01-01"}), invalid, "attributes[5].edges[1] must be a day"},
      {at(5, "edges", {"1990-01-01", "1990-01-01", "1992-01-01"}), invalid, "attributes[5].edges[1] must be above"},
      {at(5, "grouping", "."), ErrorCode::kUnknownKey, "attributes[5]"}};
  for (const Case& one : cases) {
    Json json = document();
    one.spoil(json);
    CAPTURE(one.message);
    const auto companion = parse(json);
    REQUIRE_FALSE(companion);
    CHECK(companion.error().code == one.code);
    CHECK_MESSAGE(companion.error().message.starts_with(one.message), companion.error().message);
  }
  CHECK(Companion::parse(schema(), R"({"version": 1, "version": 1, "attributes": []})").error().code ==
        ErrorCode::kMalformedJson);
  CHECK(Companion::parse(schema(), std::string(Companion::kMaxJsonBytes + 1, ' ')).error().code ==
        ErrorCode::kLimitExceeded);
}

TEST_CASE("an attribute cannot have a kind of column that does not fit it") {
  const auto of = [](const Schema& one, const std::string& rule) {
    return Companion::parse(one, R"({"version": 1, "attributes": [{"attribute": "a", "column": "A", )" + rule + "}]}");
  };
  const Schema boolean = Schema::create({Attribute::boolean("a").value()}).value();
  const Schema named = Schema::create({Attribute::categorical("a", {"x", "y"}).value()}).value();
  CHECK_FALSE(of(boolean, R"("kind": "integer", "outside": "clamp")"));
  CHECK_FALSE(of(boolean, R"("kind": "bins", "edges": ["0", "1", "2"], "outside": "clamp")"));
  CHECK_FALSE(of(named, R"("kind": "steps", "step": "1", "outside": "clamp")"));
  CHECK(of(named, R"("kind": "bins", "edges": ["0", "1", "2"], "outside": "clamp")"));
}

TEST_CASE("a range whose steps go beyond 10^18 is refused") {
  const auto parses = [](std::int64_t min, std::int64_t max, const std::string& outside) {
    const Schema schema = Schema::create({Attribute::range("a", min, max).value()}).value();
    return static_cast<bool>(
        Companion::parse(schema, R"({"version": 1, "attributes": [{"attribute": "a", "column": "A", "kind": "steps",
                    "step": "100000000000000000", "outside": ")" +
                                     outside + "\"}]}"));
  };
  for (const char* outside : {"clamp", "refuse"}) {
    CAPTURE(outside);
    CHECK(parses(-9, 9, outside));
    CHECK_FALSE(parses(0, 10, outside));
    CHECK_FALSE(parses(-11, 0, outside));
    CHECK_FALSE(parses(20, 30, outside));
    CHECK_FALSE(parses(-30, -20, outside));
  }
  // Numbers below -10^18 count as -10^18. So "refuse" could not refuse them, and the lowest step must not begin there.
  CHECK(parses(-10, 0, "clamp"));
  CHECK_FALSE(parses(-10, 0, "refuse"));
}

}  // namespace
}  // namespace hearsay
