#include "hearsay/record.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace hearsay {
namespace {

Schema mixed() {
  return Schema::parse(R"([{"name":"smoker","type":"boolean"},
                           {"name":"region","type":"categorical","values":["north","far east"]},
                           {"name":"age","type":"range","min":-3,"max":120}])")
      .value();
}

TEST_CASE("a record is read in the schema's order, whatever the order of the document") {
  const Schema schema = mixed();
  const Record record = Record::parse(schema, R"({"age":31,"region":"far east","smoker":true})").value();
  CHECK(record == Record::create(schema, {1, 1, 34}).value());
  CHECK(record[2] == 34);
  CHECK(Record::parse(schema, R"({"smoker":false,"region":"north","age":-3})").value() ==
        Record::create(schema, {0, 0, 0}).value());
  CHECK(Record::parse(schema, R"({"smoker":false,"region":"north","age":120})").value()[2] == 123);
}

TEST_CASE("a record is made of named values, typed or as text") {
  const Schema schema = mixed();
  const Record record = Record::create(schema, {1, 1, 34}).value();
  CHECK(Record::from_values(schema, {{"age", 31}, {"smoker", true}, {"region", "far east"}}).value() == record);
  CHECK(Record::from_values(schema, {{"smoker", "true"}, {"region", "far east"}, {"age", "31"}}).value() == record);
  CHECK(Record::from_values(schema, {{"smoker", "no"}, {"region", "north"}, {"age", -3}}).value() ==
        Record::create(schema, {0, 0, 0}).value());
  struct Case {
    std::vector<NamedValue> values;
    std::string message;
  };
  for (const Case& sample : {Case{{}, "the record lacks attribute smoker"},
                             {{{"smoker", true}, {"age", 777}}, "attribute age must be an integer from -3 to 120"},
                             {{{"smoker", 1}}, "attribute smoker must be true or false"},
                             {{{"smoker", "atlantis"}}, "attribute smoker must be true or false"},
                             {{{"age", true}}, "attribute age must be an integer from -3 to 120"},
                             {{{"region", 0}}, "attribute region must be 'north' or 'far east'"},
                             {{{"smoker", true}, {"smoker", false}}, "the record has attribute smoker twice"},
                             {{{"atlantis", 1}}, "the record has a name that is not an attribute"}}) {
    const auto made = Record::from_values(schema, sample.values);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == ErrorCode::kInvalidRecord);
    CHECK(made.error().message == sample.message);
  }
}

TEST_CASE("records of value indices are checked") {
  const Schema schema = mixed();
  CHECK(Record::create(schema, {1, 1, 123}));
  CHECK(Record::create(schema, {2, 0, 0}).error().message ==
        "attribute smoker has 2 values; an index must be below that");
  CHECK(Record::create(schema, {0, 2, 0}).error().message ==
        "attribute region has 2 values; an index must be below that");
  CHECK(Record::create(schema, {0, 0, 124}).error().message ==
        "attribute age has 124 values; an index must be below that");
  CHECK(Record::create(schema, {0, 0}).error().code == ErrorCode::kInvalidRecord);
  CHECK(Record::create(schema, {0, 0, 0, 0}).error().code == ErrorCode::kInvalidRecord);
  CHECK(Record::create(schema, {}).error().code == ErrorCode::kInvalidRecord);
}

TEST_CASE("malformed records are refused") {
  struct Case {
    std::string_view json;
    ErrorCode code;
  };
  const Case cases[] = {
      {"", ErrorCode::kMalformedJson},
      {R"({"smoker":true,"region":"north","age":5)", ErrorCode::kMalformedJson},
      {R"({"smoker":true,"region":"north","age":5}{})", ErrorCode::kMalformedJson},
      {R"({"smoker":true,"region":"north","age":5,"age":6})", ErrorCode::kMalformedJson},
      {R"({"smoker":true,"region":"north","age":NaN})", ErrorCode::kMalformedJson},
      {R"({"smoker":true,"region":"north","age":1e999})", ErrorCode::kMalformedJson},
      {R"({"smoker":yes,"region":"north","age":5})", ErrorCode::kMalformedJson},
      {"{\"smoker\":true,\"region\":\"\xff\",\"age\":5}", ErrorCode::kMalformedJson},
      {"null", ErrorCode::kInvalidRecord},
      {"[true,\"north\",5]", ErrorCode::kInvalidRecord},
      {"{}", ErrorCode::kInvalidRecord},
      {R"({"region":"north","age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north"})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","age":5,"height":180})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","Age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":1,"region":"north","age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":"yes","region":"north","age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":null,"region":"north","age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"west","age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"North","age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":0,"age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":["north"],"age":5})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","age":-4})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","age":121})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","age":5.0})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","age":"5"})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","age":true})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","age":18446744073709551615})", ErrorCode::kInvalidRecord},
      {R"({"smoker":true,"region":"north","age":18446744073709551613})", ErrorCode::kInvalidRecord},  // -3 modulo 2^64
      {R"({"smoker":true,"region":"north","age":4294967301})", ErrorCode::kInvalidRecord},            // 5 modulo 2^32
      {R"({"smoker":true,"region":"north","age":{"value":5}})", ErrorCode::kInvalidRecord},
  };
  static_assert(std::size(cases) >= 25);
  const Schema schema = mixed();
  for (const Case& malformed : cases) {
    CAPTURE(malformed.json);
    const auto record = Record::parse(schema, malformed.json);
    REQUIRE_FALSE(record);
    CHECK(error_name(record.error().code) == error_name(malformed.code));
  }
  const std::string long_document = std::string(5U << 20U, ' ') + "{}";
  CHECK(Record::parse(schema, long_document).error().code == ErrorCode::kLimitExceeded);
}

TEST_CASE("messages name the attribute and the accepted values, but no value and no unknown member") {
  const Schema schema = mixed();
  const auto message = [&](std::string_view json) { return Record::parse(schema, json).error().message; };
  CHECK(message(R"({"smoker":true,"region":"atlantis","age":5})") == "attribute region must be 'north' or 'far east'");
  CHECK(message(R"({"smoker":true,"region":"north","age":777})") == "attribute age must be an integer from -3 to 120");
  CHECK(message(R"({"smoker":"atlantis","region":"north","age":7})") == "attribute smoker must be true or false");
  CHECK(message(R"({"smoker":true,"region":"north"})") == "the record lacks attribute age");
  CHECK(message(R"({"smoker":true,"region":"north","age":5,"positive":true})") ==
        "the record has a member that is not an attribute");
  CHECK(message(R"({"smoker":true,"region":"north","age":atlantis})").find("atlantis") == std::string::npos);
}

TEST_CASE("attributes may have any names, and messages show such names in quotes") {
  const Schema schema =
      Schema::create({Attribute::boolean("smokes, at times").value(), Attribute::range("\"age\"", 0, 9).value()})
          .value();
  CHECK(Record::parse(schema, R"({"\"age\"": 3, "smokes, at times": true})").value() ==
        Record::create(schema, {1, 3}).value());
  CHECK(Record::parse(schema, R"({"\"age\"": 3})").error().message ==
        R"(the record lacks attribute "smokes, at times")");
  CHECK(Record::parse(schema, R"({"\"age\"": 10, "smokes, at times": true})").error().message ==
        R"(attribute "\"age\"" must be an integer from 0 to 9)");
}

TEST_CASE("a record of the largest schema with the longest names is within the bound on documents") {
  std::vector<Attribute> attributes;
  std::string json = "{";
  for (std::size_t i = 0; i < Schema::kMaxAttributes; ++i) {
    std::string name = std::to_string(i);
    name.insert(0, Attribute::kMaxNameBytes - name.size(), 'a');
    const std::string value(Attribute::kMaxNameBytes, 'v');
    json += (i == 0 ? "\"" : ",\"") + name + "\":\"" + value + "\"";
    attributes.push_back(Attribute::categorical(name, {"x", value}).value());
  }
  const Schema schema = Schema::create(std::move(attributes)).value();
  const Record record = Record::parse(schema, json + "}").value();
  CHECK(std::all_of(record.values().begin(), record.values().end(), [](std::uint32_t value) { return value == 1; }));
}

}  // namespace
}  // namespace hearsay
