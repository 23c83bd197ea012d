#include "hearsay/schema.h"

#include <doctest/doctest.h>

#include <string>

#include "common/base/strict_json.h"
#include "common/schema/reserved_words.h"
#include "common/schema/schema_json.h"

namespace hearsay {
namespace {

constexpr std::string_view kMixed = R"([{"name":"smoker","type":"boolean"},)"
                                    R"({"values":["north","far east","Ærø"],"type":"categorical","name":"region"},)"
                                    R"({"name":"age","type":"range","min":-3,"max":120}])";

TEST_CASE("a schema of every kind of attribute") {
  const Schema schema = Schema::parse(kMixed).value();
  REQUIRE(schema.size() == 3);
  CHECK(schema[0].kind() == AttributeKind::kBoolean);
  CHECK(schema[0].size() == 2);
  CHECK(schema[0].min() == 0);
  CHECK(schema[0].max() == 1);
  CHECK(schema[0].value_text(0) == "no");
  CHECK(schema[0].value_text(1) == "yes");

  CHECK(schema[1].kind() == AttributeKind::kCategorical);
  CHECK(schema[1].size() == 3);
  CHECK(schema[1].index_of("far east") == 1);
  CHECK_FALSE(schema[1].index_of("west"));
  CHECK(schema[1].value_text(2) == "Ærø");

  CHECK(schema[2].kind() == AttributeKind::kRange);
  CHECK(schema[2].size() == 124);
  CHECK(schema[2].min() == -3);
  CHECK(schema[2].max() == 120);
  CHECK(schema[2].value_text(0) == "-3");
  CHECK(schema[2].value_text(123) == "120");
  CHECK_FALSE(schema[2].index_of("7"));

  CHECK(schema.find("age") == 2);
  CHECK_FALSE(schema.find("Age"));
  CHECK(schema.universe_size() == 2 * 3 * 124);
}

TEST_CASE("the canonical form") {
  const Schema schema = Schema::parse(kMixed).value();
  CHECK(schema.to_json() == R"([{"name":"smoker","type":"boolean"},)"
                            R"({"name":"region","type":"categorical","values":["north","far east","Ærø"]},)"
                            R"({"max":120,"min":-3,"name":"age","type":"range"}])");
  CHECK(Schema::parse(schema.to_json()).value() == schema);
  const std::string quotes = R"([{"name":"q","type":"categorical","values":["\"","\\"]}])";
  CHECK(Schema::parse(quotes)->to_json() == quotes);
}

TEST_CASE("schemas that differ anywhere are different") {
  const Schema schema = Schema::parse(kMixed).value();
  std::string text(kMixed);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return Schema::parse(changed).value();
  };
  CHECK(with("smoker", "smoker") == schema);
  CHECK_FALSE(with("smoker", "smokes") == schema);
  CHECK_FALSE(with("north", "south") == schema);
  CHECK_FALSE(with(R"("north","far east")", R"("far east","north")") == schema);
  CHECK_FALSE(with("120", "121") == schema);
  CHECK_FALSE(with("-3", "-4") == schema);
}

TEST_CASE("the number of records is exact up to 2^63") {
  const auto booleans = [](int count) {
    std::vector<Attribute> attributes;
    for (int i = 0; i < count; ++i) attributes.push_back(Attribute::boolean("b" + std::to_string(i)).value());
    return Schema::create(std::move(attributes)).value();
  };
  CHECK(booleans(63).universe_size() == std::uint64_t{1} << 63U);
  CHECK_FALSE(booleans(64).universe_size());
  CHECK_FALSE(booleans(4096).universe_size());
}

TEST_CASE("the limits themselves are legal") {
  const std::string longest(Attribute::kMaxNameBytes, 'a');
  CHECK(Attribute::boolean(longest));
  CHECK_FALSE(Attribute::boolean(longest + "a"));
  CHECK(Attribute::categorical("c", {longest, "x"}));
  CHECK_FALSE(Attribute::categorical("c", {longest + "a", "x"}));
  const std::int64_t edge = std::int64_t{1} << 53U;
  CHECK(Attribute::range("r", edge - 1, edge));
  CHECK(Attribute::range("r", -edge, -edge + Attribute::kMaxSize - 1)->size() == Attribute::kMaxSize);
  CHECK_FALSE(Attribute::range("r", -edge, -edge + Attribute::kMaxSize));
  CHECK_FALSE(Attribute::range("r", edge, edge + 1));
  CHECK_FALSE(Attribute::range("r", -edge - 1, -edge));
  std::vector<Attribute> many(Schema::kMaxAttributes + 1, Attribute::boolean("b").value());
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = Attribute::boolean("b" + std::to_string(i)).value();
  CHECK(Schema::create(many).error().code == ErrorCode::kInvalidSchema);
  many.pop_back();
  CHECK(Schema::create(many));
}

TEST_CASE("no attribute is named like a word of the query language") {
  for (const std::string_view word : kReservedWords) {
    CAPTURE(word);
    CHECK(Attribute::boolean(std::string(word)).error().code == ErrorCode::kInvalidSchema);
    CHECK(Attribute::categorical("c", {std::string(word), "x"}));  // a value may be
  }
  CHECK(Attribute::boolean("And"));
  CHECK(Attribute::boolean("in_"));
}

TEST_CASE("malformed schemas") {
  struct Case {
    std::string_view json;
    ErrorCode code;
  };
  const Case cases[] = {
      {"", ErrorCode::kMalformedJson},
      {"[", ErrorCode::kMalformedJson},
      {R"([{"name":"a","name":"b","type":"boolean"}])", ErrorCode::kMalformedJson},
      {R"([{"name":"r","type":"range","min":0,"max":1e999}])", ErrorCode::kMalformedJson},
      {"[{\"name\":\"c\",\"type\":\"categorical\",\"values\":[\"\xff\",\"b\"]}]", ErrorCode::kMalformedJson},
      {"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", ErrorCode::kLimitExceeded},
      {"null", ErrorCode::kWrongType},
      {"{}", ErrorCode::kWrongType},
      {R"({"name":"a","type":"boolean"})", ErrorCode::kWrongType},
      {R"([["a","boolean"]])", ErrorCode::kWrongType},
      {R"(["a"])", ErrorCode::kWrongType},
      {R"([{"name":1,"type":"boolean"}])", ErrorCode::kWrongType},
      {R"([{"name":"a","type":true}])", ErrorCode::kWrongType},
      {R"([{"name":"c","type":"categorical","values":"ab"}])", ErrorCode::kWrongType},
      {R"([{"name":"c","type":"categorical","values":["a",1]}])", ErrorCode::kWrongType},
      {R"([{"name":"c","type":"categorical","values":{"a":1}}])", ErrorCode::kWrongType},
      {R"([{"name":"r","type":"range","min":0,"max":1.0}])", ErrorCode::kWrongType},
      {R"([{"name":"r","type":"range","min":"0","max":1}])", ErrorCode::kWrongType},
      {R"([{"name":"r","type":"range","min":false,"max":true}])", ErrorCode::kWrongType},
      {R"([{"name":"r","type":"range","min":0,"max":1e2}])", ErrorCode::kWrongType},
      {R"([{"type":"boolean"}])", ErrorCode::kMissingKey},
      {R"([{"name":"a"}])", ErrorCode::kMissingKey},
      {R"([{}])", ErrorCode::kMissingKey},
      {R"([{"name":"c","type":"categorical"}])", ErrorCode::kMissingKey},
      {R"([{"name":"r","type":"range","min":0}])", ErrorCode::kMissingKey},
      {R"([{"name":"r","type":"range","max":0}])", ErrorCode::kMissingKey},
      {R"([{"name":"a","type":"boolean","extra":1}])", ErrorCode::kUnknownKey},
      {R"([{"name":"a","type":"boolean","values":["x","y"]}])", ErrorCode::kUnknownKey},
      {R"([{"name":"c","type":"categorical","values":["x","y"],"min":0}])", ErrorCode::kUnknownKey},
      {R"([{"name":"r","type":"range","min":0,"max":1,"Max":2}])", ErrorCode::kUnknownKey},
      {"[]", ErrorCode::kInvalidSchema},
      {R"([{"name":"a","type":"bool"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a","type":"Boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"1a","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a-b","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a b","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"é","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"at_least","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a","type":"boolean"},{"name":"a","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a","type":"boolean"},{"name":"a","type":"range","min":0,"max":1}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"c","type":"categorical","values":[]}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"c","type":"categorical","values":["x"]}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"c","type":"categorical","values":["x","x"]}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"c","type":"categorical","values":["x",""]}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"c","type":"categorical","values":["x","a\nb"]}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"c","type":"categorical","values":["x","a\u0085b"]}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"c","type":"categorical","values":["x","\u0000"]}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"r","type":"range","min":1,"max":1}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"r","type":"range","min":2,"max":1}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"r","type":"range","min":0,"max":1048576}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"r","type":"range","min":9007199254740992,"max":9007199254740993}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"r","type":"range","min":-9223372036854775808,"max":9223372036854775807}])",
       ErrorCode::kInvalidSchema},
      {R"([{"name":"r","type":"range","min":0,"max":18446744073709551615}])", ErrorCode::kInvalidSchema},
  };
  static_assert(std::size(cases) >= 30);
  for (const Case& malformed : cases) {
    CAPTURE(malformed.json);
    const auto schema = Schema::parse(malformed.json);
    REQUIRE_FALSE(schema);
    CHECK(error_name(schema.error().code) == error_name(malformed.code));
  }
  CHECK(Attribute::categorical("c", {"x", "\xC3"}).error().code == ErrorCode::kInvalidSchema);
}

TEST_CASE("messages give the place in the document") {
  CHECK(Schema::parse(R"([{"name":"a","type":"boolean"},{"name":"r","type":"range","min":0}])").error().message ==
        "schema[1].max is missing");
  CHECK(schema_from_json(*parse_json(R"([{"name":"a","type":"boolean","x":1}])"), "task.schema").error().message ==
        "task.schema[0] has an unknown key \"x\"");
  CHECK(Schema::parse(R"([{"name":"c","type":"categorical","values":["x","y",3]}])").error().message ==
        "schema[0].values[2] must be a string");
  CHECK(Schema::parse(R"([{"name":"c","type":"categorical","values":["x","x"]}])").error().message ==
        "schema[0]: attribute c has a value twice");
}

}  // namespace
}  // namespace hearsay
