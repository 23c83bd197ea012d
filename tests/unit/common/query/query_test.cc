#include "hearsay/query.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/unit/common/query/random_query.h"

namespace hearsay {
namespace {

using query::Linear;
using query::Membership;

Query parse(std::string_view text) { return Query::parse(test::mixed_schema(), text).value(); }
std::string print(std::string_view text) { return parse(text).to_string(test::mixed_schema()); }

TEST_CASE("the examples of the query language have the stated meaning") {
  const Schema schema = Schema::parse(R"([{"name":"a","type":"boolean"},{"name":"b","type":"boolean"},
      {"name":"c","type":"boolean"},{"name":"age","type":"range","min":0,"max":120},
      {"name":"region","type":"categorical","values":["north","far east","south","west"]},
      {"name":"income","type":"range","min":0,"max":9}])")
                            .value();
  const auto holds = [&](std::string_view text, std::string_view record) {
    return Query::parse(schema, text).value().evaluate(Record::parse(schema, record).value());
  };
  constexpr std::string_view kFirst = R"({"a":true,"b":false,"c":true,"age":30,"region":"far east","income":4})";
  constexpr std::string_view kSecond = R"({"a":false,"b":true,"c":true,"age":45,"region":"south","income":5})";
  CHECK(holds("a and not b", kFirst));
  CHECK_FALSE(holds("a and not b", kSecond));
  CHECK(holds("age in 30..44 and region in {north, \"far east\"}", kFirst));
  CHECK_FALSE(holds("age in 30..44 and region in {north, \"far east\"}", kSecond));
  CHECK_FALSE(holds("income >= 5 or b", kFirst));
  CHECK(holds("income >= 5 or b", kSecond));
  CHECK(holds("at_least(2, a, b, c)", kFirst));
  CHECK_FALSE(holds("at_least(3, a, b, c)", kFirst));
  CHECK(holds("2*a + b - c >= 1", kFirst));
  CHECK_FALSE(holds("2*a + b - c >= 1", kSecond));
  CHECK(holds("decision_list(a: yes, b and c: no, else: yes)", kFirst));
  CHECK_FALSE(holds("decision_list(a: yes, b and c: no, else: yes)", kSecond));
}

TEST_CASE("not binds more tightly than and, and and more tightly than or") {
  CHECK(parse("smoker or diabetic and not smoker or smoker") ==
        parse("(smoker or (diabetic and (not smoker))) or smoker"));
  CHECK_FALSE(parse("smoker or diabetic and smoker") == parse("(smoker or diabetic) and smoker"));
  CHECK(parse("not smoker and diabetic") == parse("(not smoker) and diabetic"));
  CHECK(parse("not age >= 1") == parse("not (age >= 1)"));
  CHECK_FALSE(parse("smoker and diabetic") == parse("diabetic and smoker"));
}

TEST_CASE("nested connectives of one kind become one") {
  const Query query = parse("(smoker and (diabetic and age >= 1)) and income = 2");
  CHECK(std::get<query::And>(query.node()).operands.size() == 4);
  CHECK(query == parse("smoker and diabetic and age >= 1 and income = 2"));
  CHECK(std::get<query::Or>(parse("(smoker or diabetic) or (smoker or diabetic)").node()).operands.size() == 4);
}

TEST_CASE("conditions on one attribute are sets of its value indices") {
  struct Condition {
    const char* text;
    ValueSet values;
  };
  const auto check = [](std::uint32_t attribute, std::initializer_list<Condition> cases) {
    for (const Condition& condition : cases) {
      CAPTURE(condition.text);
      CHECK(std::get<Membership>(parse(condition.text).node()) == Membership{attribute, condition.values});
    }
  };
  check(0, {{"smoker", {{1, 1}}},
            {"smoker = yes", {{1, 1}}},
            {"smoker = true", {{1, 1}}},
            {"smoker = false", {{0, 0}}},
            {"smoker in {false, true}", {{0, 1}}},
            {"smoker == 1", {{1, 1}}},
            {"smoker != no", {{1, 1}}},
            {"smoker = no", {{0, 0}}},
            {"smoker != 1", {{0, 0}}},
            {"smoker in {no, yes}", {{0, 1}}},
            {"smoker in {}", {}},
            {"smoker not in {1}", {{0, 0}}},
            {"smoker >= 1", {{1, 1}}},
            {"smoker >= 2", {}},
            {"smoker < 1", {{0, 0}}},
            {"smoker = 1 + 1", {}}});
  // age has the values -2 (index 0) to 5 (index 7).
  check(1, {{"age >= 0", {{2, 7}}},
            {"age > 0", {{3, 7}}},
            {"age <= -2", {{0, 0}}},
            {"age < -2", {}},
            {"age >= 500", {}},
            {"age >= -500", {{0, 7}}},
            {"age <= 9223372036854775808", {{0, 7}}},
            {"age = -1", {{1, 1}}},
            {"age = 6", {}},
            {"age != 6", {{0, 7}}},
            {"age != 0", {{0, 1}, {3, 7}}},
            {"0 <= age", {{2, 7}}},
            {"2*age >= 3", {{4, 7}}},
            {"2*age >= -3", {{1, 7}}},
            {"-2*age >= 3", {{0, 0}}},
            {"3*age = 4", {}},
            {"3*age != 4", {{0, 7}}},
            {"-3*age = 3", {{1, 1}}},
            {"3*age > -4", {{1, 7}}},
            {"3*age < 4", {{0, 3}}},
            {"2*age + 3 <= age + 5", {{0, 4}}},
            {"age*2 > age", {{3, 7}}},
            {"0*income + age >= 1", {{3, 7}}},
            {"income + age - income >= 1", {{3, 7}}},
            {"age - age >= 0", {{0, 7}}},
            {"age > age + 1 - 1", {}},
            {"age in -1..1", {{1, 3}}},
            {"age in {3, -2, 1..2, 2..3}", {{0, 0}, {3, 5}}},
            {"age in {1, 2}", {{3, 4}}},
            {"age in 4..100", {{6, 7}}},
            {"age in {100, -100..-2}", {{0, 0}}},
            {"age in {7..9}", {}},
            {"age not in {}", {{0, 7}}},
            {"age not in -2..5", {}},
            {"age not in {-2, 1}", {{1, 2}, {4, 7}}}});
  check(2, {{"region = north", {{0, 0}}},
            {"region = \"north\"", {{0, 0}}},
            {"region != \"far east\"", {{0, 0}, {2, 4}}},
            {"region = yes", {{2, 2}}},
            {"region = \"in\"", {{3, 3}}},
            {"region = \"a\\\"b\\\\\"", {{4, 4}}},
            {"region in {yes, north, yes, \"far east\"}", {{0, 2}}},
            {"region not in {\"in\"}", {{0, 2}, {4, 4}}}});
}

TEST_CASE("sums have one normal form") {
  const Linear sum{{{2, 0, 0}, {-1, 1, -2}}, 1};  // 2*smoker - age >= 1
  CHECK(std::get<Linear>(parse("2*smoker - age >= 1").node()) == sum);
  for (const char* text :
       {"2*smoker - age > 0", "2 * smoker + -age >= 1", "smoker*2 - age >= 1", "smoker - age + smoker >= 1",
        "2*smoker >= age + 1", "2*smoker - 1 >= age", "2*smoker - age + 4 >= 5", "2*smoker - age - 4 >= -3",
        "2*smoker - age - -4 >= 5", "2*smoker - 3*age >= 1 - 2*age", "2*smoker + 0*income - age >= 1",
        "2*smoker + income - age >= 1 + income"}) {
    CAPTURE(text);
    CHECK(std::get<Linear>(parse(text).node()) == sum);
  }
  const Linear negated{{{-2, 0, 0}, {1, 1, -2}}, -1};  // 2*smoker - age <= 1
  CHECK(std::get<Linear>(parse("2*smoker - age <= 1").node()) == negated);
  CHECK(std::get<Linear>(parse("2*smoker - age < 2").node()) == negated);
  CHECK(parse("2*smoker - age = 1") == parse("2*smoker - age >= 1 and 2*smoker - age <= 1"));
  CHECK(parse("2*smoker - age != 1") == parse("not (2*smoker - age >= 1 and 2*smoker - age <= 1)"));
  CHECK(parse("smoker = diabetic") == parse("smoker - diabetic = 0"));
}

TEST_CASE("the largest coefficients and bounds evaluate without overflow") {
  const std::int64_t edge = std::int64_t{1} << 53U;
  std::vector<Attribute> attributes;
  std::string up;
  std::string down;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "r" + std::to_string(i);
    attributes.push_back(Attribute::range(name, edge - 1, edge).value());
    up += (i > 0 ? " + " : "") + ("2147483648*" + name);
    down += " - 2147483648*" + name;
  }
  const Schema schema = Schema::create(std::move(attributes)).value();
  const std::vector<std::uint32_t> largest(100, 1);
  // The sum is 100·2^31·2^53, above 2^90.
  CHECK(Query::parse(schema, up + " >= 9223372036854775807")->evaluate(largest));
  CHECK_FALSE(Query::parse(schema, up + " < 9223372036854775807")->evaluate(largest));
  CHECK(Query::parse(schema, down + " <= -9223372036854775807")->evaluate(largest));
  const std::string extreme = "r0 - r1 >= -9223372036854775808";
  CHECK(Query::parse(schema, extreme)->to_string(schema) == extreme);
}

TEST_CASE("at_least takes counts from zero to one more than there are conditions") {
  const std::vector<std::uint32_t> record{1, 0, 0, 0, 0};  // a smoker who is not diabetic
  CHECK(parse("at_least(0, diabetic)").evaluate(record));
  CHECK(parse("at_least(1, smoker, diabetic)").evaluate(record));
  CHECK_FALSE(parse("at_least(2, smoker, diabetic)").evaluate(record));
  CHECK_FALSE(parse("at_least(2, smoker)").evaluate(record));
  CHECK(parse("at_least(2, smoker, smoker)").evaluate(record));
}

TEST_CASE("the printed form of a query is right") {
  const std::pair<const char*, const char*> cases[] = {
      {"((smoker))and(not(diabetic))", "smoker and not diabetic"},
      {"(smoker or diabetic) and not (smoker and diabetic)", "(smoker or diabetic) and not (smoker and diabetic)"},
      {"(smoker and diabetic) or not not smoker", "smoker and diabetic or not not smoker"},
      {"smoker == 0", "smoker = no"},
      {"smoker in {1,0}", "smoker in {no, yes}"},
      {"region != north", "region != north"},
      {"region in {\"north\",\"yes\"}", "region in {north, \"yes\"}"},
      {"region in {north, yes, \"in\"}", "region not in {\"far east\", \"a\\\"b\\\\\"}"},
      {"age > -2", "age >= -1"},
      {"age < 0", "age <= -1"},
      {"age not in -1..4", "age not in -1..4"},
      {"age in {-2, 0, 2..3, 5}", "age in {-2, 0, 2..3, 5}"},
      {"age >= -2", "age in -2..5"},
      {"age >= 6", "age in {}"},
      {"- age+2*income>1", "-age + 2*income >= 2"},
      {"at_least( 2,smoker,diabetic or smoker )", "at_least(2, smoker, diabetic or smoker)"},
      {"decision_list(smoker:yes,age=1 and diabetic:no,else:yes)",
       "decision_list(smoker: yes, age = 1 and diabetic: no, else: yes)"},
  };
  for (const auto& pair : cases) {
    CAPTURE(pair.first);
    CHECK(print(pair.first) == pair.second);
    CHECK(parse(pair.second) == parse(pair.first));
  }
}

TEST_CASE("names that are no plain words stand in quotes") {
  const std::string longest = std::string(127, '"') + "\\";  // 128 bytes, each with an escape
  const std::string names[] = {"two words", "a\"b",    "a\\b", "a = b", "age in 3..4",
                               "and",       "yes",     "1a",   "größe", "🙂👩‍🔬",
                               "a, \"b\"",  "smoker)", "#",    "'",     longest};
  for (const std::string& name : names) {
    CAPTURE(name);
    std::string quoted = "\"";
    for (const char c : name) quoted += (c == '"' || c == '\\' ? std::string("\\") : "") + c;
    quoted += '"';
    const Attribute other = Attribute::range("r", 0, 9).value();
    const auto survives = [&](const Attribute& attribute, const std::string& text) {
      CAPTURE(text);
      const Schema schema = Schema::create({attribute, other}).value();
      const auto query = Query::parse(schema, text);
      REQUIRE_MESSAGE(query, query.error().message);
      CHECK(query->to_string(schema) == text);
      CHECK(Query::parse(schema, query->to_string(schema)).value() == *query);
      CHECK(Query(query->node()).as_written(schema) == text);
    };
    const Attribute boolean = Attribute::boolean(name).value();
    survives(boolean, quoted);
    survives(boolean, "not " + quoted + " or " + quoted + " = no and r = 1");
    survives(boolean, "at_least(1, " + quoted + ", r in 2..3)");
    const Attribute range = Attribute::range(name, 0, 9).value();
    survives(range, quoted + " in 3..4");
    survives(range, "2*" + quoted + " - r >= 1");
    survives(range, "-r + " + quoted + " >= 0");
    survives(Attribute::categorical(name, {"x", name, "y"}).value(), quoted + " != " + quoted);
  }
}

TEST_CASE("quotes around a plain name change nothing, and a string is a value only where a value may stand") {
  CHECK(print("\"smoker\" and not \"diabetic\"") == "smoker and not diabetic");
  CHECK(print("\"region\" = \"north\"") == "region = north");
  CHECK(print("\"age\" not in {1} or 2 * \"age\" - \"income\" * 3 >= 1") == "age != 1 or 2*age - 3*income >= 1");
  // For a categorical attribute the right side of an equality is a value. For any other attribute the right side is a
  // name.
  const Schema schema = Schema::parse(R"([{"name":"north","type":"range","min":0,"max":1},
      {"name":"region","type":"categorical","values":["north","south"]},{"name":"b","type":"boolean"}])")
                            .value();
  CHECK(Query::parse(schema, "region = \"north\"")->attributes() == std::vector<std::uint32_t>{1});
  CHECK(Query::parse(schema, "b = \"north\"")->attributes() == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("a parsed query keeps its text, and a query made of a node is printed") {
  const Schema schema = test::mixed_schema();
  for (const char* text : {"age >= 5 or  not smoker", "income == 2", "age in {500}"}) {
    const Query query = parse(text);
    CHECK(query.as_written(schema) == text);
    CHECK(query.to_string(schema) != text);
    CHECK(Query(query.node()).as_written(schema) == query.to_string(schema));
    CHECK(Query(query.node()) == query);
  }
}

TEST_CASE("the attributes of a query ascend and do not repeat") {
  using Attributes = std::vector<std::uint32_t>;
  CHECK(parse("income = 1 and (smoker or not income = 2)").attributes() == Attributes{0, 4});
  CHECK(parse("decision_list(age >= 1: yes, at_least(1, diabetic, region = yes): no, else: no)").attributes() ==
        Attributes{1, 2, 3});
  CHECK(parse("income + age - 2*smoker >= 1").attributes() == Attributes{0, 1, 4});
}

TEST_CASE("queries built from parts equal parsed queries") {
  const Query smoker(Membership{0, {{1, 1}}});
  const Query diabetic(Membership{3, {{1, 1}}});
  CHECK(Query(query::And{{smoker, Query(query::Not{std::make_shared<const Query>(diabetic)})}}) ==
        parse("smoker and not diabetic"));
  CHECK(Query(query::DecisionList{{{smoker, true}, {diabetic, false}}, true}) ==
        parse("decision_list(smoker: yes, diabetic: no, else: yes)"));
  CHECK_FALSE(Query(query::DecisionList{{{smoker, true}, {diabetic, true}}, true}) ==
              parse("decision_list(smoker: yes, diabetic: no, else: yes)"));
  CHECK_FALSE(Query(query::AtLeast{1, {smoker}}) == Query(query::AtLeast{2, {smoker}}));
}

}  // namespace
}  // namespace hearsay
