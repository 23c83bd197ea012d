#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hearsay/query.h"
#include "tests/unit/common/query/random_query.h"

namespace hearsay {
namespace {

using test::Values;

TEST_CASE("random queries evaluate as written on every record, also after printing and parsing") {
  const Schema schemas[] = {test::mixed_schema(), test::odd_schema()};
  std::mt19937 random(1);  // the random trees also depend on the compiler's order of evaluation
  constexpr int kTrees = 2500;
  int constant = 0;
  for (int tree = 0; tree < kTrees; ++tree) {
    const Schema& schema = schemas[tree / 2 % 2];
    const auto expected = test::random_query(schema, random, 1 + tree % 24);
    CAPTURE(expected.text);
    const auto query = Query::parse(schema, expected.text);
    REQUIRE_MESSAGE(query, query.error().message);

    const std::string printed = query->to_string(schema);
    CAPTURE(printed);
    const auto again = Query::parse(schema, printed);
    REQUIRE_MESSAGE(again, again.error().message);
    CHECK(*again == *query);
    CHECK(again->to_string(schema) == printed);

    std::size_t held = 0;
    std::size_t records = 0;
    std::size_t wrong = 0;
    std::vector<bool> matters(schema.size(), false);
    test::for_every_record(schema, [&](Values values) {
      ++records;
      const bool holds = expected.holds(values);
      held += holds ? 1 : 0;
      if (query->evaluate(values) != holds) ++wrong;
      for (std::size_t i = 0; i < schema.size() && tree % 5 == 0; ++i) {
        if (matters[i] || values[i] + 1 == schema[i].size()) continue;
        std::vector<std::uint32_t> other(values.begin(), values.end());
        ++other[i];
        matters[i] = expected.holds(other) != holds;
      }
    });
    CHECK(wrong == 0);
    constant += held == 0 || held == records ? 1 : 0;

    // Every attribute on which the result depends is one of the query's attributes, which ascend.
    const auto attributes = query->attributes();
    for (std::size_t i = 0; i < schema.size(); ++i) {
      if (matters[i]) CHECK(std::count(attributes.begin(), attributes.end(), i) == 1);
    }
    CHECK(std::is_sorted(attributes.begin(), attributes.end()));
    CHECK(std::adjacent_find(attributes.begin(), attributes.end()) == attributes.end());
  }
  // The test would show little if most queries were constant.
  CHECK(constant < kTrees / 2);
}

TEST_CASE("a query differs from its negation and from other queries") {
  const Schema schema = test::mixed_schema();
  std::mt19937 random(12);
  for (int tree = 0; tree < 300; ++tree) {
    const auto a = test::random_query(schema, random, 6);
    const auto b = test::random_query(schema, random, 6);
    const Query first = Query::parse(schema, a.text).value();
    const Query second = Query::parse(schema, b.text).value();
    CHECK(first == Query::parse(schema, "(" + a.text + ")").value());
    CHECK_FALSE(first == Query::parse(schema, "not (" + a.text + ")").value());
    CHECK((first == second) == (first.to_string(schema) == second.to_string(schema)));
  }
}

}  // namespace
}  // namespace hearsay
