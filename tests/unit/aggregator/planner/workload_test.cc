#include "aggregator/planner/workload.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

TEST_CASE("conjunctions: if all attributes are booleans, there is one query of each length") {
  const Schema schema = tests::schema_of("b b b b");
  CHECK(texts(Conjunctions{1}, schema) == std::set{text("a0", schema)});
  CHECK(texts(Conjunctions{3}, schema) ==
        std::set{text("a0", schema), text("a0 and a1", schema), text("a0 and a1 and a2", schema)});
}

TEST_CASE("conjunctions: the list has every choice of kinds and sizes, with the literals whose costs differ") {
  const Schema schema = tests::schema_of("b c3 r4 c3");
  const std::set<std::string> singles = texts(Conjunctions{1}, schema);
  // Single literals are one boolean, two of a category, and the thresholds 1, 2, 3 of a range.
  CHECK(singles.size() == 1 + 2 + 3);
  CHECK(singles.contains(text("a2 >= 1", schema)));
  CHECK(singles.contains(text("a1 in {v1, v2}", schema)));
  // Pairs: b-c, b-r, c-r, and c-c of two categorical attributes. There is one boolean and one range, so no b-b and no
  // r-r.
  CHECK(texts(Conjunctions{2}, schema).size() == 6 + 2 + 3 + 6 + 4);
}

TEST_CASE("functions: the list has the exclusive or of balanced conditions") {
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

TEST_CASE("each workload has an order and a description, and malformed workloads are refused") {
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

TEST_CASE("classes of ranges, prefixes, boxes and means contain only integer ranges") {
  const Schema schema = tests::schema_of("b r8 c3 r8 r2");
  const std::set<std::string> ranges = texts(Ranges{}, schema);
  // For 8 values, the ranges are the first half, and the middle 1, 2, 4 and 7 values. For 2 values, the range is the
  // first value. Attributes of one kind and size count once.
  CHECK(ranges.size() == 5 + 1);
  CHECK(ranges.contains(text("a1 in 0..3", schema)));
  CHECK(texts(Boxes{2}, schema).size() == 5 + 1 + 5 * 5 + 5);
  CHECK(texts(Prefixes{}, schema).size() == 3 + 1);
  CHECK(representatives(Means{}, schema).value().empty());
  const std::vector<WeightedFunction> means = functions_of(Mixture{{{Means{}, 2}, {Ranges{}, 1}}}, schema);
  REQUIRE(means.size() == 3);
  CHECK(means[1].weight == 2);
  CHECK(means[1].function.parts.front().attribute == 3);
  CHECK(means[1].function.parts.front().values.back() == 1);
  for (const Workload& workload : {Workload(Ranges{}), Workload(Prefixes{}), Workload(Means{}), Workload(Boxes{1})}) {
    CHECK(representatives(workload, tests::schema_of("b c4")).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(representatives(Boxes{4}, schema).error().code == ErrorCode::kInvalidArgument);
  CHECK(representatives(Boxes{0}, schema).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("a mixture multiplies the weights of its parts, and has the queries of all parts") {
  const Schema schema = tests::schema_of("b r4");
  const Workload mixture = Mixture{{{Conjunctions{2}, 1}, {Mixture{{{Means{}, 3}, {Ranges{}, 1}}}, 0.5}}};
  CHECK(order_of(mixture) == 2);
  CHECK(describe(mixture) == "conjunctions of at most 2 literals, means (weight 1.5), all ranges (weight 0.5)");
  const std::vector<Mixture::Part> parts = parts_of(mixture);
  REQUIRE(parts.size() == 3);
  CHECK(parts[1].weight == 1.5);
  CHECK(parts_of(Ranges{}).size() == 1);
  CHECK(representatives(mixture, schema).value().size() ==
        representatives(Conjunctions{2}, schema).value().size() + representatives(Ranges{}, schema).value().size());
  for (const double weight : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    CHECK(representatives(Mixture{{{Ranges{}, weight}}}, schema).error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(representatives(Mixture{}, schema).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::planner
