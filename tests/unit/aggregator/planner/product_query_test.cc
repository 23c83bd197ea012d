#include "aggregator/planner/product_query.h"

#include <doctest/doctest.h>

#include "tests/support/small_domains.h"

namespace hearsay::planner {
namespace {

bool is_product(const ProductFunction& product, const Query& query, const Schema& schema) {
  bool same = true;
  bool opposite = true;
  for (const Record& record : tests::all_records(schema)) {
    double value = 1;
    for (const ProductFunction::Part& part : product.parts) value *= part.values[record.values()[part.attribute]];
    const double truth = query.evaluate(record) ? 1 : 0;
    same = same && value == truth;
    opposite = opposite && value == 1 - truth;
  }
  return same || opposite;
}

TEST_CASE("boxes, disjunctions and conditions on one attribute are products") {
  const Schema schema = tests::schema_of("b r6 c3 r4");
  for (const char* text :
       {"a0", "not a0", "a1 in 2..4", "a1 in 2..4 and a3 >= 2", "a0 or a1 >= 3", "not (a0 and not (a2 = v1 or a1 = 0))",
        "a1 >= 2 and (a1 <= 4 or a1 = 0) and a0", "not (not a0 or a1 < 2) and a2 = v0"}) {
    CAPTURE(text);
    const Query query = Query::parse(schema, text).value();
    const auto product = product_of(query, schema);
    REQUIRE(product);
    CHECK(is_product(*product, query, schema));
  }
}

TEST_CASE("attributes on which the query does not depend are left out, and constants have no parts") {
  const Schema schema = tests::schema_of("b r6 c3 r4");
  const auto parts = [&](const char* text) { return product_of(Query::parse(schema, text).value(), schema)->parts; };
  CHECK(parts("a0 and a1 >= -2").size() == 1);
  CHECK(parts("a0 and a1 >= 2").size() == 2);
  CHECK(parts("a0 or a1 >= -2").empty());
  CHECK(parts("a1 >= -2").empty());
  CHECK(parts("a0 and a1 < -2").empty());
}

TEST_CASE("queries that are no products are recognised") {
  const Schema schema = tests::schema_of("b r6 b r4");
  for (const char* text : {"a0 or (a1 >= 2 and a2)", "(a0 and not a2) or (a2 and not a0)", "(a0 or a2) and a1 >= 3"}) {
    CAPTURE(text);
    CHECK(!product_of(Query::parse(schema, text).value(), schema));
  }
}

}  // namespace
}  // namespace hearsay::planner
