#include "examples/comparison/query_class.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "examples/comparison/synthetic.h"

namespace hearsay::examples {
namespace {

Schema booleans(int k) {
  std::vector<Attribute> list;
  for (int i = 0; i < k; ++i) list.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  return Schema::create(std::move(list)).value();
}

Schema mixed() {
  return Schema::create({Attribute::categorical("colour", {"red", "green", "blue"}).value(),
                         Attribute::range("age", 0, 3).value(), Attribute::boolean("smokes").value()})
      .value();
}

std::string truth_table(const Schema& schema, const Query& query) {
  std::string table;
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (;;) {
    table += query.evaluate(values) ? '1' : '0';
    std::size_t i = 0;
    while (i < values.size() && ++values[i] == schema[i].size()) values[i++] = 0;
    if (i == values.size()) return table;
  }
}

void check_distinct(const Schema& schema, const std::vector<Query>& queries) {
  std::set<std::string> tables;
  for (const Query& query : queries) tables.insert(truth_table(schema, query));
  CHECK(tables.size() == queries.size());
}

TEST_CASE("the class has each conjunction of signed booleans once") {
  const Schema schema = booleans(5);
  const auto all = conjunctions(schema, 1, 2).value();
  CHECK(all.size() == 2 * 5 + 4 * 10);
  check_distinct(schema, all);
  const auto pairs = conjunctions(schema, 2, 2).value();
  CHECK(pairs.size() == 4 * 10);
  for (const Query& query : pairs) CHECK(query.attributes().size() == 2);
}

TEST_CASE("the class has each conjunction of categories and ranges once") {
  // There are 6 literals on the colour, 6 on the age and 2 on the boolean.
  const auto all = conjunctions(mixed(), 1, 2).value();
  CHECK(all.size() == 14 + 6 * 6 + 6 * 2 + 6 * 2);
  check_distinct(mixed(), all);
}

TEST_CASE("the class has each function of two booleans once, up to negation") {
  const Schema schema = booleans(4);
  const auto all = functions(schema, 2, 1).value();
  CHECK(all.size() == 4 + 5 * 6);  // 4 single booleans; of each pair four conjunctions and the exclusive or
  check_distinct(schema, all);
  std::set<std::string> tables;
  for (const Query& query : all) {
    std::string table = truth_table(schema, query);
    if (table.front() == '1') {
      for (char& bit : table) bit = bit == '1' ? '0' : '1';
    }
    tables.insert(std::move(table));
  }
  CHECK(tables.size() == all.size());
}

TEST_CASE("functions of attributes with many values depend on all of these attributes") {
  const auto all = functions(mixed(), 3, 1).value();
  CHECK(all.size() > 7);
  for (const Query& query : all) {
    const std::string table = truth_table(mixed(), query);
    CHECK(table.find('0') != std::string::npos);
    CHECK(table.find('1') != std::string::npos);
  }
}

TEST_CASE("classes that are empty or too large are refused") {
  CHECK(conjunctions(booleans(3), 0, 2).error().code == ErrorCode::kInvalidArgument);
  CHECK(conjunctions(booleans(3), 1, 4).error().code == ErrorCode::kInvalidArgument);
  CHECK(functions(booleans(3), 0, 1).error().code == ErrorCode::kInvalidArgument);
  CHECK(conjunctions(booleans(60), 1, 2).error().code == ErrorCode::kLimitExceeded);
  const Schema wide = Schema::create({Attribute::range("a", 0, 99).value()}).value();
  CHECK(functions(wide, 1, 1).error().code == ErrorCode::kLimitExceeded);
}

double rate(const Population& people, const std::string& text) {
  return people.fraction(Query::parse(people.schema, text).value());
}

TEST_CASE("synthetic booleans are skewed and correlated, or fair and independent") {
  constexpr std::size_t kRows = 20'000;  // so the standard deviation of a rate is at most 0.0036
  const auto skewed = synthetic_population(8, kRows, SyntheticKind::kSkewed, 7).value();
  CHECK(rate(skewed, "a7") < 0.2);
  CHECK(rate(skewed, "a4") > 0.7);
  CHECK(rate(skewed, "a1 and a5") > 1.2 * rate(skewed, "a1") * rate(skewed, "a5"));
  CHECK(rate(skewed, "a1 and a2") < 0.9 * rate(skewed, "a1") * rate(skewed, "a2"));
  CHECK(synthetic_population(8, kRows, SyntheticKind::kSkewed, 7).value().records == skewed.records);
  CHECK_FALSE(synthetic_population(8, kRows, SyntheticKind::kSkewed, 8).value().records == skewed.records);

  const auto fair = synthetic_population(3, kRows, SyntheticKind::kUniform, 7).value();
  for (const char* text : {"a0 and a1", "a0 and not a2", "not a1 and not a2"}) {
    CHECK(rate(fair, text) == doctest::Approx(0.25).epsilon(0.06).scale(0));  // 4.9 standard deviations
  }
}

}  // namespace
}  // namespace hearsay::examples
