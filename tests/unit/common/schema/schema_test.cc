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

TEST_CASE("a schema can have every kind of attribute") {
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

TEST_CASE("the canonical form of a schema is the expected text") {
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

TEST_CASE("schemas exactly at the limits are accepted") {
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

TEST_CASE("a name is any printable text") {
  for (const char* name : {"two words", "1a", "a-b", "größe", "\"", "\\", "a, b", "=", "#", "🙂", "👩‍🔬",
                           "می‌خواهم", "a\u00a0b", "sum"}) {
    CAPTURE(name);
    const auto attribute = Attribute::boolean(name);
    REQUIRE(attribute);
    CHECK(attribute->name() == name);
    const Schema schema = Schema::create({*attribute}).value();
    CHECK(schema.find(name) == 0);
    CHECK(Schema::parse(schema.to_json()).value() == schema);
  }
  for (const std::string_view word : kReservedWords) CHECK(Attribute::boolean(std::string(word)));
  // Names are compared byte by byte. é as one character differs from e with a combining accent.
  CHECK(Schema::create({Attribute::boolean("\u00e9").value(), Attribute::boolean("e\u0301").value()}));
}

TEST_CASE("a name must not begin or end with white space, or change the layout of text") {
  const auto refused = [](const std::string& name) {
    const auto attribute = Attribute::range(name, 0, 1);
    return !attribute && attribute.error().code == ErrorCode::kInvalidSchema;
  };
  for (const char* space : {" ", "\u00a0", "\u1680", "\u2000", "\u200a", "\u202f", "\u205f", "\u3000"}) {
    CAPTURE(space);
    CHECK(refused(space));
    CHECK(refused(std::string(space) + "a"));
    CHECK(refused(std::string("a") + space));
    CHECK_FALSE(refused(std::string("a") + space + "b"));
  }
  for (const char* anywhere : {"\n", "\t", "\x7f", "\u0085", "\u2028", "\u2029", "\u061c", "\u200e", "\u200f", "\u202a",
                               "\u202e", "\u2066", "\u2069", "\xff", "\xed\xa0\x80"}) {
    CAPTURE(anywhere);
    CHECK(refused(std::string("a") + anywhere + "b"));
  }
  CHECK(refused(std::string("a\0b", 3)));
}

TEST_CASE("titles and units are for people, and part of the document") {
  const std::string text = R"([{"name":"b","title":"Do you smoke?","type":"boolean"},)"
                           R"({"name":"c","title":"¿Dónde?","type":"categorical","values":["x","y"]},)"
                           R"({"max":9,"min":0,"name":"r","title":"\"Time\"","type":"range","unit":"min"}])";
  const Schema schema = Schema::parse(text).value();
  CHECK(schema[0].title() == "Do you smoke?");
  CHECK(schema[2].unit() == "min");
  CHECK(schema.to_json() == text);
  const Schema bare = Schema::parse(R"([{"name":"b","title":"","type":"boolean"},)"
                                    R"({"name":"c","type":"categorical","values":["x","y"]},)"
                                    R"({"max":9,"min":0,"name":"r","type":"range","unit":""}])")
                          .value();
  CHECK(bare.to_json() == R"([{"name":"b","type":"boolean"},{"name":"c","type":"categorical","values":["x","y"]},)"
                          R"({"max":9,"min":0,"name":"r","type":"range"}])");
  CHECK_FALSE(bare == schema);
  CHECK(bare.has_same_records(schema));
  CHECK_FALSE(Schema::create({bare[0], bare[1]}).value().has_same_records(schema));
  CHECK_FALSE(Schema::create({bare[1], bare[0], bare[2]}).value().has_same_records(bare));
  CHECK(Attribute(bare[2]).with_title("\"Time\"").value().with_unit("min").value() == schema[2]);
  CHECK_FALSE(Attribute(bare[2]).with_title("\"Time\"").value() == schema[2]);
}

TEST_CASE("titles and units have limits") {
  const Attribute range = Attribute::range("r", 0, 1).value();
  const std::string title(Attribute::kMaxTitleBytes, 't');
  CHECK(Attribute(range).with_title(title));
  CHECK(Attribute(range).with_title(title + "t").error().message ==
        "the title of attribute r must have at most 256 bytes");
  const std::string unit(Attribute::kMaxUnitBytes, 'u');
  CHECK(Attribute(range).with_unit(unit));
  CHECK_FALSE(Attribute(range).with_unit(unit + "u"));
  for (const char* bad : {"a\nb", "\xff", "\u009f"}) {
    CHECK(Attribute(range).with_title(bad).error().code == ErrorCode::kInvalidSchema);
    CHECK(Attribute(range).with_unit(bad).error().code == ErrorCode::kInvalidSchema);
  }
  CHECK_FALSE(Attribute::boolean("b").value().with_unit("min"));
}

TEST_CASE("malformed schemas are refused") {
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
      {R"({"schema":[]})", ErrorCode::kWrongType},
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
      {R"([{"name":" a","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a\nb","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a\u202eb","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a","title":7,"type":"boolean"}])", ErrorCode::kWrongType},
      {R"([{"name":"a","title":"x\ny","type":"boolean"}])", ErrorCode::kInvalidSchema},
      {R"([{"name":"a","unit":"m","type":"boolean"}])", ErrorCode::kUnknownKey},
      {R"([{"name":"c","unit":"m","type":"categorical","values":["x","y"]}])", ErrorCode::kUnknownKey},
      {R"([{"name":"r","unit":null,"type":"range","min":0,"max":1}])", ErrorCode::kWrongType},
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
        "task.schema[0] has an unknown key \"x\"; known here: name, title, type");
  CHECK(Schema::parse(R"([{"name":"c","type":"categorical","values":["x","y",3]}])").error().message ==
        "schema[0].values[2] must be a string");
  CHECK(Schema::parse(R"([{"name":"c","type":"categorical","values":["x","x"]}])").error().message ==
        "schema[0]: attribute c has the value \"x\" twice");
  CHECK(Schema::parse(R"([{"name":"has values","type":"categorical","values":["x","x"]}])").error().message ==
        "schema[0]: attribute \"has values\" has the value \"x\" twice");
  CHECK(Schema::parse(R"([{"name":"a\"","type":"boolean"},{"name":"a\"","type":"boolean"}])").error().message ==
        "two attributes have the name \"a\\\"\"");
}

}  // namespace
}  // namespace hearsay
