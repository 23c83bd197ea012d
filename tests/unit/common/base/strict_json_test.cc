#include "common/base/strict_json.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace hearsay {
namespace {

using namespace std::string_literals;

std::string nested(std::size_t depth, std::string inner) {
  for (std::size_t i = 0; i < depth; ++i) inner = i % 2 == 0 ? "[" + inner + "]" : "{\"k\":" + inner + "}";
  return inner;
}

TEST_CASE("documents of every kind are read as written") {
  CHECK(*parse_json("null") == Json(nullptr));
  CHECK(*parse_json(" true\n") == Json(true));
  CHECK(*parse_json("\"\\u00e9\\ud83d\\ude00\"") == Json("\xC3\xA9\xF0\x9F\x98\x80"));
  CHECK(*parse_json("-9223372036854775808") == Json(std::numeric_limits<std::int64_t>::min()));
  CHECK(*parse_json("18446744073709551615") == Json(std::numeric_limits<std::uint64_t>::max()));
  CHECK(*parse_json("1.5") == Json(1.5));
  CHECK(*parse_json("{}") == Json::object());
  CHECK(*parse_json("[]") == Json::array());
  const Json expected = {{"a", {1, 2, {{"b", nullptr}}}}, {"c", {{"d", Json::array()}, {"e", "x"}}}, {"f", false}};
  CHECK(*parse_json(R"({"c":{"d":[],"e":"x"},"a":[1,2,{"b":null}],"f":false})") == expected);
  // Different objects may have the same key.
  CHECK(parse_json(R"([{"a":1},{"a":{"a":2}}])"));
}

TEST_CASE("malformed documents are refused") {
  const std::string malformed[] = {
      "",
      " ",
      "{",
      "}",
      "[1,2",
      "[1,]",
      "[,1]",
      "{\"a\"}",
      "{\"a\":}",
      "{\"a\":1,}",
      "{a:1}",
      "{'a':1}",
      "{1:1}",
      "1 2",
      "{} {}",
      "[1]x",
      "nul",
      "True",
      "NaN",
      "-NaN",
      "Infinity",
      "-Infinity",
      "[1e999]",
      "-1e999",
      "01",
      "+1",
      "1.",
      ".5",
      "1e",
      "0x10",
      "-",
      "\"",
      "\"\\x\"",
      "\"\\u12\"",
      "\"\\ud800\"",
      "\"\\udc00\"",
      "\"a\nb\"",
      "\"\xff\"",
      "\"\xC0\x80\"",
      "\"\xED\xA0\x80\"",
      "\xff",
      "\xEF\xBB\xBF{}",
      "// comment\n1",
      "/* */ 1",
      "{\"a\":1,\"a\":2}",
      "{\"a\":1,\"b\":{\"c\":1,\"c\":1}}",
      "{\"a\":{},\"a\":{}}",
      "{\"a\":1,\"\\u0061\":1}",
      "{}\0"s,
      "{}\0garbage"s,
      "\0{}"s,
      "\"a\0b\""s,
  };
  for (const std::string& text : malformed) {
    CAPTURE(text);
    const auto parsed = parse_json(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::kMalformedJson);
    CHECK(parsed.error().message.find(" at byte ") != std::string::npos);
  }
}

TEST_CASE("messages give the byte and do not quote the document") {
  CHECK(parse_json("{\"secret\":1,\"secret\":2}").error().message ==
        "a key of a JSON object is given twice at byte 20");
  CHECK(parse_json("[1e999]").error().message == "a JSON number is too large at byte 6");
  CHECK(parse_json("[1, secret]").error().message == "not valid JSON at byte 5");
  CHECK(parse_json("{}\0"s).error().message == "not valid JSON at byte 3");
  for (const char* text : {"{\"secret\":secret}", "\"secret", "{\"secret\" 1}", "secret", "[\"\\secret\"]"}) {
    CHECK(parse_json(text).error().message.find("secret") == std::string::npos);
  }
}

TEST_CASE("for a text of several lines a message also gives the line") {
  const auto message = [](const std::string& text) { return parse_json(text).error().message; };
  CHECK(message("{\n \"a\": 1,\n}\n") == "not valid JSON in line 3 at byte 12");
  CHECK(message("{\r\n \"a\": 1,\r\n \"a\": 2\r\n}") == "a key of a JSON object is given twice in line 3 at byte 17");
  CHECK(message("{\n \"a\": \"b\n\"}") == "not valid JSON in line 2 at byte 11");  // the string does not end
  CHECK(message("{\n \"a\":\n").starts_with("not valid JSON in line 3 at byte "));
  CHECK(message("{\n\n" + std::string(1, '\0')) == "not valid JSON in line 3 at byte 4");
  CHECK(message("[1,]\n") == "not valid JSON at byte 4");
  CHECK(message("\n") == "not valid JSON at byte 1: the document is empty");
  CHECK(message("") == "not valid JSON at byte 1: the document is empty");
}

TEST_CASE("the depth is bounded while parsing") {
  const JsonLimits limits{.max_bytes = 1U << 24U, .max_depth = 5};
  CHECK(parse_json(nested(5, "1"), limits));
  CHECK(parse_json(nested(6, "1"), limits).error().code == ErrorCode::kLimitExceeded);
  CHECK(parse_json("1", {.max_bytes = 10, .max_depth = 0}));
  CHECK(parse_json("[]", {.max_bytes = 10, .max_depth = 0}).error().code == ErrorCode::kLimitExceeded);
  // The parser refuses two million brackets at the sixth, although none of them closes.
  CHECK(parse_json(std::string(2'000'000, '['), limits).error().message ==
        "the JSON document is nested too deeply at byte 6");
}

TEST_CASE("the error about a document that is not UTF-8 says so, and gives the line") {
  CHECK(parse_json("{\n\"name\": \"caf\xE9\"}").error().message == "not UTF-8 in line 2 at byte 15");
  CHECK(parse_json("\xFF\xFE{").error().message == "not UTF-8 in line 1 at byte 1");
}

TEST_CASE("the size is bounded") {
  CHECK(parse_json("[1,2]", {.max_bytes = 5, .max_depth = 4}));
  CHECK(parse_json("[1,23]", {.max_bytes = 5, .max_depth = 4}).error().code == ErrorCode::kLimitExceeded);
}

struct Fixture {
  Json json = *parse_json(R"({"s":"x","b":true,"i":7,"big":18446744073709551615,"neg":-3,"float":1.0,"exp":1e2,"a":[1],
                              "o":{},"n":null})");
  ObjectReader reader = *ObjectReader::create(json, "task");
};

TEST_CASE_FIXTURE(Fixture, "members are read with their type") {
  CHECK(*reader.get_string("s") == "x");
  CHECK(*reader.get_bool("b"));
  CHECK(*reader.get_int("i", 7, 7) == 7);
  CHECK(*reader.get_int("neg", -3, 0) == -3);
  CHECK(**reader.get_array("a") == Json{1});
  CHECK((*reader.get("n"))->is_null());
  CHECK(reader.has("n"));
  CHECK_FALSE(reader.has("m"));
}

TEST_CASE_FIXTURE(Fixture, "wrong types, missing keys and integers out of range are refused") {
  CHECK(reader.get_string("i").error().code == ErrorCode::kWrongType);
  CHECK(reader.get_bool("i").error().code == ErrorCode::kWrongType);
  CHECK(reader.get_array("o").error().code == ErrorCode::kWrongType);
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (const char* key : {"s", "b", "float", "exp", "a", "o", "n"}) {
    CAPTURE(key);
    CHECK(reader.get_int(key, kLeast, kMost).error().code == ErrorCode::kWrongType);
  }
  CHECK(reader.get_int("big", kLeast, kMost).error().code == ErrorCode::kInvalidArgument);
  CHECK(reader.get_int("i", 8, 9).error().code == ErrorCode::kInvalidArgument);
  CHECK(reader.get_int("i", 5, 6).error().message == "task.i must be from 5 to 6");
  const Json beyond =
      parse_json(R"({"i": 99999999999999999999})").value();  // more than 64 bits, so the number becomes a double
  CHECK(ObjectReader::create(beyond, "task")->get_int("i", 5, 6).error().message ==
        "task.i must be an integer from 5 to 6");
  CHECK(reader.get_int("neg", 0, kMost).error().code == ErrorCode::kInvalidArgument);
  CHECK(reader.get("m").error().code == ErrorCode::kMissingKey);
  CHECK(reader.get_string("m").error().code == ErrorCode::kMissingKey);
  CHECK(reader.get_int("m", 0, 1).error().message == "task.m is missing");
  CHECK(reader.path("i") == "task.i");
  CHECK(ObjectReader::create(json, "")->path("i") == "i");
  CHECK(ObjectReader::create(Json{1}, "task").error().code == ErrorCode::kWrongType);
}

TEST_CASE("unknown keys are refused, and named only if they are plain") {
  const Json json = *parse_json(R"({"a":1,"b":2})");
  const auto reader = *ObjectReader::create(json, "task");
  CHECK(reader.allow_only({"a", "b", "c"}));
  CHECK(reader.allow_only({"a"}).error().code == ErrorCode::kUnknownKey);
  CHECK(reader.allow_only({"a"}).error().message == "task has an unknown key \"b\"; known here: a");
  const Json odd = *parse_json("{\"a b\\u0007\":1}");
  CHECK(ObjectReader::create(odd, "task")->allow_only({}).error().message == "task has an unknown key");
}

}  // namespace
}  // namespace hearsay
