#include "aggregator/planner/workload.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/support/small_domains.h"

namespace hearsay::planner {
namespace {

std::set<std::string> texts(const Workload& workload, const Schema& schema) {
  const auto queries = representatives(workload, schema);
  REQUIRE(queries);
  std::set<std::string> result;
  for (const Query& query : *queries) result.insert(query.to_string(schema));
  CHECK(result.size() == queries->size());
  return result;
}

std::string text(const char* query, const Schema& schema) {
  return Query::parse(schema, query).value().to_string(schema);
}

TEST_CASE("conjunctions: one of every length where all attributes are booleans") {
  const Schema schema = tests::schema_of("b b b b");
  CHECK(texts(Conjunctions{1}, schema) == std::set{text("a0", schema)});
  CHECK(texts(Conjunctions{3}, schema) ==
        std::set{text("a0", schema), text("a0 and a1", schema), text("a0 and a1 and a2", schema)});
}

TEST_CASE("conjunctions: every choice of kinds and sizes, with the literals that differ") {
  const Schema schema = tests::schema_of("b c3 r4 c3");
  const std::set<std::string> singles = texts(Conjunctions{1}, schema);
  // One boolean, two literals of a category, thresholds 1, 2, 3 of a range.
  CHECK(singles.size() == 1 + 2 + 3);
  CHECK(singles.contains(text("a2 >= 1", schema)));
  CHECK(singles.contains(text("a1 in {v1, v2}", schema)));
  // Pairs: b-c, b-r, c-r, and c-c of two attributes; not b-b or r-r, of which there is one.
  CHECK(texts(Conjunctions{2}, schema).size() == 6 + 2 + 3 + 6 + 4);
}

TEST_CASE("functions: the exclusive or of balanced conditions") {
  const Schema schema = tests::schema_of("b b c4");
  const auto queries = representatives(Functions{2}, schema).value();
  REQUIRE(queries.size() == 4);  // b, c, b-b, b-c
  for (const Query& query : queries) {
    std::size_t satisfied = 0;
    const auto records = tests::all_records(schema);
    for (const Record& record : records) satisfied += query.evaluate(record) ? 1 : 0;
    CHECK(2 * satisfied == records.size());
  }
  CHECK(std::any_of(queries.begin(), queries.end(), [](const Query& query) { return query.attributes().size() == 2; }));
}

TEST_CASE("orders, descriptions, and refusals") {
  const Schema schema = tests::schema_of("b b b");
  const std::vector<Query> list{Query::parse(schema, "a0 or a1").value(), Query::parse(schema, "a2").value()};
  CHECK(order_of(list) == 2);
  CHECK(order_of(Conjunctions{3}) == 3);
  CHECK(describe(list) == "2 queries");
  CHECK(describe(Functions{1}) == "any function of at most 1 attribute");
  CHECK(representatives(list, schema).value() == list);
  CHECK(representatives(std::vector<Query>{}, schema).error().code == ErrorCode::kInvalidArgument);
  CHECK(representatives(Conjunctions{0}, schema).error().code == ErrorCode::kInvalidArgument);
  CHECK(representatives(Conjunctions{4}, schema).error().code == ErrorCode::kInvalidArgument);
  CHECK(representatives(Functions{4}, schema).error().code == ErrorCode::kInvalidArgument);
  std::vector<Attribute> ranges;
  for (int i = 0; i < 60; ++i) ranges.push_back(Attribute::range("r" + std::to_string(i), 0, 3 + i).value());
  const Schema wide = Schema::create(std::move(ranges)).value();
  CHECK(representatives(Conjunctions{2}, wide).error().code == ErrorCode::kLimitExceeded);
  CHECK(representatives(Functions{2}, wide).value().size() == 60 + 60 * 59 / 2);
}

}  // namespace
}  // namespace hearsay::planner
