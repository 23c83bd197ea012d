#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <string_view>

#include "common/query/lexer.h"
#include "common/schema/names.h"
#include "common/schema/reserved_words.h"
#include "hearsay/query.h"
#include "tests/unit/common/query/random_query.h"

namespace hearsay {
namespace {

using namespace std::string_literals;

constexpr auto kSyntax = ErrorCode::kQuerySyntax;
constexpr auto kAttribute = ErrorCode::kUnknownAttribute;
constexpr auto kValue = ErrorCode::kUnknownValue;
constexpr auto kLarge = ErrorCode::kQueryTooLarge;

struct Case {
  std::string text;
  ErrorCode code;
  std::string_view position;  // line:column
};

void check(const Case& expected) {
  const std::string shown = expected.text.substr(0, 200);
  CAPTURE(shown);
  const auto query = Query::parse(test::mixed_schema(), expected.text);
  REQUIRE_FALSE(query);
  CHECK(error_name(query.error().code) == error_name(expected.code));
  const std::size_t colon = expected.position.find(':');
  const std::string prefix = "line " + std::string(expected.position.substr(0, colon)) + ", column " +
                             std::string(expected.position.substr(colon + 1)) + ": ";
  CHECK(query.error().message.substr(0, prefix.size()) == prefix);
  CHECK(query.error().message.size() > prefix.size());
}

TEST_CASE("queries that break the grammar are refused") {
  const Case cases[] = {
      {"", kSyntax, "1:1"},
      {"  \n ", kSyntax, "2:2"},
      {"smoker and", kSyntax, "1:11"},
      {"and smoker", kSyntax, "1:1"},
      {"smoker or or diabetic", kSyntax, "1:11"},
      {"smoker not", kSyntax, "1:8"},
      {"not", kSyntax, "1:4"},
      {"smoker diabetic", kSyntax, "1:8"},
      {"(smoker", kSyntax, "1:8"},
      {"smoker)", kSyntax, "1:7"},
      {"()", kSyntax, "1:2"},
      {"smoker and\n(diabetic or\n )", kSyntax, "3:2"},
      {"yes", kSyntax, "1:1"},
      {"else", kSyntax, "1:1"},
      {"\"north\"", kAttribute, "1:1"},
      {"smoker AND diabetic", kSyntax, "1:8"},
      {"smoker && diabetic", kSyntax, "1:8"},
      {"!smoker", kSyntax, "1:1"},
      {"smoker;", kSyntax, "1:7"},
      {"smoker # comment", kSyntax, "1:8"},
      {"smoker\0"s, kSyntax, "1:7"},
      {"smoker\v", kSyntax, "1:7"},
      {"smoker \xff", kSyntax, "1:8"},
      {"smoker\n  or \xC0\x80", kSyntax, "2:6"},
      {"\xEF\xBB\xBFsmoker", kSyntax, "1:1"},
      {"r\xC3\xA9gion = north", kSyntax, "1:2"},
      {"region = \"\xC3\xA9\" or height", kValue, "1:10"},
      {"region = north \xC2\xA0", kSyntax, "1:16"},
      {"region = \"north", kSyntax, "1:10"},
      {"region = \"nor\nth\"", kSyntax, "1:14"},
      {"region = \"\xC2\x85\"", kSyntax, "1:11"},
      {"region = \"a\\n\"", kSyntax, "1:12"},
      {"region = \"a\\", kSyntax, "1:12"},
      {"region = 'north'", kSyntax, "1:10"},
  };
  for (const Case& expected : cases) check(expected);
}

TEST_CASE("queries with wrong attributes or values are refused") {
  const Case cases[] = {
      {"height", kAttribute, "1:1"},
      {"smoker and Diabetic", kAttribute, "1:12"},
      {"height in {1}", kAttribute, "1:1"},
      {"2*height + age >= 1", kAttribute, "1:3"},
      {"age >= height", kAttribute, "1:8"},
      {"smoker = maybe", kAttribute, "1:10"},
      {std::string(200, 'x'), kAttribute, "1:1"},
      {"smoker = \"yes\"", kAttribute, "1:10"},
      {"smoker and \"\"", kAttribute, "1:12"},
      {"\"smoker and diabetic\"", kAttribute, "1:1"},
      {"\"age\" >= 2 * \"height\"", kAttribute, "1:14"},
      {"\"age\"", kSyntax, "1:1"},
      {"\"smoker\" \"diabetic\"", kSyntax, "1:10"},
      {"\"region\" >= north", kSyntax, "1:1"},
      {"age in \"income\"", kSyntax, "1:8"},
      {"age", kSyntax, "1:1"},
      {"smoker and (age)", kSyntax, "1:13"},
      {"region", kSyntax, "1:1"},
      {"region >= north", kSyntax, "1:1"},
      {"region + 1 >= 2", kSyntax, "1:1"},
      {"age + region >= 2", kSyntax, "1:7"},
      {"1 <= region", kSyntax, "1:6"},
      {"region = south", kValue, "1:10"},
      {"region = North", kValue, "1:10"},
      {"region = no", kValue, "1:10"},
      {"region = 5", kValue, "1:10"},
      {"region = -5", kValue, "1:10"},
      {"region = in", kSyntax, "1:10"},
      {"region != ", kSyntax, "1:11"},
      {"region in {north, \"south\"}", kValue, "1:19"},
      {"region in {\"\"}", kValue, "1:12"},
      {"region in north", kSyntax, "1:11"},
      {"region in {north", kSyntax, "1:17"},
      {"region in {north,}", kSyntax, "1:18"},
      {"region in {north \"far east\"}", kSyntax, "1:18"},
      {"region in {north..yes}", kSyntax, "1:17"},
      {"smoker = 2", kValue, "1:10"},
      {"smoker = -1", kValue, "1:10"},
      {"smoker in {maybe}", kValue, "1:12"},
      {"smoker in {yes, 2}", kValue, "1:17"},
      {"smoker in 0..1", kSyntax, "1:11"},
      {"smoker in {0..1}", kSyntax, "1:13"},
      {"smoker >= yes", kSyntax, "1:11"},
      {"age = yes", kSyntax, "1:7"},
      {"age in {yes}", kValue, "1:9"},
      {"age in {old}", kValue, "1:9"},
      {"age in {\"1\"}", kValue, "1:9"},
      {"age in 1", kSyntax, "1:9"},
      {"age in 1..", kSyntax, "1:11"},
      {"age in 3..1", kSyntax, "1:8"},
      {"age in {1, 900..800}", kSyntax, "1:12"},
      {"age in {1,, 2}", kSyntax, "1:11"},
      {"age in {-}", kSyntax, "1:10"},
      {"age in", kSyntax, "1:7"},
      {"age not 1..2", kSyntax, "1:1"},
      {"age in {1.5}", kSyntax, "1:10"},
      {"age in 1...2", kSyntax, "1:11"},
  };
  for (const Case& expected : cases) check(expected);
}

TEST_CASE("queries with wrong sums, counts or lists are refused") {
  const Case cases[] = {
      {"2*smoker + diabetic", kSyntax, "1:20"},
      {"age + 1", kSyntax, "1:8"},
      {"1 >= 0", kSyntax, "1:1"},
      {"smoker or 3 = 3", kSyntax, "1:11"},
      {"age >=", kSyntax, "1:7"},
      {"age >= 1 >= 0", kSyntax, "1:10"},
      {"age => 1", kSyntax, "1:6"},
      {"age >= 2age", kSyntax, "1:9"},
      {"2*3 >= 1", kSyntax, "1:3"},
      {"age*income >= 1", kSyntax, "1:5"},
      {"2*age*3 >= 1", kSyntax, "1:6"},
      {"age + + income >= 1", kSyntax, "1:7"},
      {"age - - - income >= 1", kSyntax, "1:9"},
      {"(age + income) >= 1", kSyntax, "1:14"},
      {"age >= 0x10", kSyntax, "1:9"},
      {"age >= 9223372036854775809", kLarge, "1:8"},
      {"age in {99999999999999999999999999}", kLarge, "1:9"},
      {"2147483649*age + income >= 1", kLarge, "1:1"},
      {"smoker or 2147483648*age + income + age >= 1", kLarge, "1:11"},
      {"age + income >= 9223372036854775808", kLarge, "1:1"},
      {"age + income > 9223372036854775807", kLarge, "1:1"},
      {"age + income = -9223372036854775808", kLarge, "1:1"},
      {"9223372036854775808*age + income >= 1", kLarge, "1:1"},
      {"at_least", kSyntax, "1:9"},
      {"at_least()", kSyntax, "1:10"},
      {"at_least(1)", kSyntax, "1:11"},
      {"at_least(smoker)", kSyntax, "1:10"},
      {"at_least(-1, smoker)", kSyntax, "1:10"},
      {"at_least(3, smoker)", kSyntax, "1:10"},
      {"at_least(4294967297, smoker, diabetic)", kSyntax, "1:10"},
      {"at_least(1, smoker,)", kSyntax, "1:20"},
      {"at_least(1, smoker diabetic)", kSyntax, "1:20"},
      {"at_least(1 smoker)", kSyntax, "1:12"},
      {"at_least(1, smoker", kSyntax, "1:19"},
      {"decision_list", kSyntax, "1:14"},
      {"decision_list()", kSyntax, "1:15"},
      {"decision_list(else: yes)", kSyntax, "1:15"},
      {"decision_list(smoker: yes)", kSyntax, "1:26"},
      {"decision_list(smoker: yes,)", kSyntax, "1:27"},
      {"decision_list(smoker: 1, else: 0)", kSyntax, "1:23"},
      {"decision_list(smoker: yes, else: yes, diabetic: no)", kSyntax, "1:37"},
      {"decision_list(smoker, else: yes)", kSyntax, "1:21"},
      {"decision_list(smoker: yes else: yes)", kSyntax, "1:27"},
      {"decision_list(smoker: yes, else yes)", kSyntax, "1:33"},
      {"decision_list(smoker: yes, else: maybe)", kSyntax, "1:34"},
      {"decision_list(smoker: yes, else: yes", kSyntax, "1:37"},
  };
  for (const Case& expected : cases) check(expected);
}

std::string repeat(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

TEST_CASE("the error about a number that is too large for a double names its place") {
  const std::string number = repeat("9", 309);
  for (const char* before : {"age >= ", "age in 0..", "age in {", "age >= -", "age + ", "at_least("}) {
    CAPTURE(before);
    const auto query = Query::parse(test::mixed_schema(), before + number);
    REQUIRE_FALSE(query);
    CHECK(query.error().code == kLarge);
    CHECK(query.error().message ==
          "line 1, column " + std::to_string(std::string(before).size() + 1) + ": the number is above 2^63");
  }
}

TEST_CASE("each limit is legal at the bound and refused beyond it") {
  const Schema schema = test::mixed_schema();
  const auto legal = [&](const std::string& text) {
    const auto query = Query::parse(schema, text);
    CHECK_MESSAGE(query, query.error().message);
  };
  // Both the text and the tree have a limit of nesting. 63 negations of a leaf are 64 levels.
  legal(repeat("(", 64) + "smoker" + repeat(")", 64));
  check({repeat("(", 65) + "smoker" + repeat(")", 65), kLarge, "1:65"});
  check({repeat("(", 60000), kLarge, "1:65"});
  legal(repeat("not ", 63) + "smoker");
  check({repeat("not ", 64) + "smoker", kLarge, "1:1"});
  check({repeat("not ", 65) + "smoker", kLarge, "1:257"});
  legal(repeat("at_least(1,", 63) + "smoker" + repeat(")", 63));
  check({repeat("at_least(1,", 65) + "smoker" + repeat(")", 65), kLarge, "1:705"});
  check({repeat("decision_list(", 65) + "smoker", kLarge, "1:897"});
  // The connectives alternate, so each parenthesis adds two levels to the tree.
  const std::string turn = "smoker or diabetic and (";
  legal(repeat(turn, 31) + "smoker" + repeat(")", 31));
  check({repeat(turn, 32) + "smoker" + repeat(")", 32), kLarge, "1:1"});

  const auto disjunction = [](std::size_t operands) { return "a" + repeat(" or a", operands - 1); };
  const Schema one = Schema::parse(R"([{"name":"a","type":"boolean"}])").value();
  const std::string counted = "at_least(1" + repeat(",a", Query::kMaxNodes - 1) + ")";
  CHECK(Query::parse(one, counted));
  CHECK(Query::parse(one, "at_least(1" + repeat(",a", Query::kMaxNodes) + ")").error().code == kLarge);
  // Each operand takes 5 bytes, and the last operand takes 1 byte. So 13,108 operands are 65,536 bytes.
  CHECK(disjunction(13108).size() == Query::kMaxTextBytes);
  CHECK(Query::parse(one, disjunction(13108)));
  CHECK(Query::parse(one, disjunction(13108) + " ").error().code == kLarge);
  CHECK(Query::parse(one, std::string(Query::kMaxTextBytes - 1, ' ') + "a"));
}

TEST_CASE("a query whose printed form would be too long is refused") {
  const Schema schema = test::mixed_schema();
  // A condition has 16 bytes, and is printed as two sums in more than 40 bytes.
  const std::string equal = "age+income=1 or ";
  check({repeat(equal, 3000) + "smoker", kLarge, "1:1"});
  CHECK(Query::parse(schema, repeat(equal, 900) + "smoker"));
}

TEST_CASE("the printed set of a large categorical attribute is at most proportional to the text") {
  std::vector<std::string> values;
  for (int i = 0; i < 50000; ++i) values.push_back("v" + std::to_string(i));
  std::vector<Attribute> attributes{Attribute::categorical("code", values).value()};
  const Schema schema = Schema::create(std::move(attributes)).value();
  for (const char* text :
       {"code != v7", "code not in {}", "code in {}", "code not in {v1, v3, v49999}", "code in {v0, v9}"}) {
    const auto query = Query::parse(schema, text);
    REQUIRE(query);
    CHECK(query->to_string(schema) == text);
  }
}

TEST_CASE("a message shows an unknown name so that nobody takes the name for anything else") {
  const auto message = [](std::string_view text) { return Query::parse(test::mixed_schema(), text).error().message; };
  const std::string there = "; there are smoker, ";
  CHECK(message("height").starts_with("line 1, column 1: there is no attribute named height" + there));
  CHECK(message("\"my height\"").starts_with("line 1, column 1: there is no attribute named \"my height\"" + there));
  CHECK(message("\"or\"").starts_with("line 1, column 1: there is no attribute named \"or\"" + there));
  // A message does not show text that cannot be a name: text that is too long, empty, or has a mark that reverses the
  // direction of the line.
  CHECK(message(std::string(129, 'h')).starts_with("line 1, column 1: there is no attribute" + there));
  CHECK(message("\"\"").starts_with("line 1, column 1: there is no attribute" + there));
  CHECK(message("\"a\u202e\"").starts_with("line 1, column 1: there is no attribute" + there));
  std::vector<Attribute> many;
  for (int i = 0; i < 40; ++i) many.push_back(Attribute::boolean("attribute" + std::to_string(i)).value());
  CHECK(Query::parse(Schema::create(std::move(many)).value(), "x").error().message.ends_with(" more"));
  // A name that is a word of the language needs quotes.
  CHECK(Query::parse(test::odd_schema(), "region and and = no").error().message ==
        "line 1, column 12: `and` is a word of the language; write the attribute of this name in quotes: \"and\"");
  CHECK(message("age > 3.5") == "line 1, column 8: a number must be whole, without a point");
  CHECK(message("größe > 3").find("double quotes") != std::string::npos);
  CHECK(message("smoker and and") == "line 1, column 12: expected a condition, such as `age >= 30`");
}

TEST_CASE("the parser tells names from the words of the language") {
  for (const std::string_view word : kReservedWords) {
    CHECK_FALSE(is_plain_name(word));
    CHECK(query::tokenize(word)->front().kind != query::TokenKind::kName);
    CHECK(query::tokenize(std::string(word) + "_")->front().kind == query::TokenKind::kName);
  }
  CHECK_FALSE(is_plain_name(""));
  CHECK_FALSE(is_plain_name("1a"));
  CHECK_FALSE(is_plain_name("a b"));
  CHECK(is_plain_name("_a1"));
}

}  // namespace
}  // namespace hearsay
