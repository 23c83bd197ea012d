#include "examples/models/queried_cube.h"

#include <doctest/doctest.h>

#include <numeric>
#include <optional>

#include "examples/models/ranges.h"

namespace hearsay::examples {
namespace {

const Schema& schema() {
  static const Schema kSchema =
      Schema::create({Attribute::range("age", 10, 16).value(), Attribute::boolean("b").value(),
                      Attribute::categorical("c", {"p", "q", "r"}).value(), Attribute::boolean("unused").value()})
          .value();
  return kSchema;
}

std::vector<Query> parse(const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(Query::parse(schema(), text).value());
  return queries;
}

std::vector<Record> all_records() {
  std::vector<Record> records;
  for (std::uint32_t i = 0; i < 7 * 2 * 3 * 2; ++i) {
    records.push_back(Record::create(schema(), {i % 7, i / 7 % 2, i / 14 % 3, i / 42}).value());
  }
  return records;
}

TEST_CASE("the cube has the patterns and runs of the queries, over the attributes that they mention") {
  const auto queries = parse({"age in 12..14 and c = q", "c in {p, r} or age >= 15", "not c = q", "age in {}"});
  const QueriedCube cube = QueriedCube::create(schema(), queries).value();
  CHECK(cube.shape() == std::vector<std::uint32_t>{7, 3});
  CHECK(cube.cells() == 21);
  // The patterns are those of c != q, and of c = q with an age below 12, from 12 to 14, and from 15.
  CHECK(cube.patterns() == 4);
  for (const Record& record : all_records()) {
    const auto at = cube.coordinates(record);
    const std::uint32_t cell = at[0] * 3 + at[1];
    CHECK(cube.coordinates(cell) == at);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const bool expected = queries[q].evaluate(record);
      CHECK((cube.satisfied()[q][cube.pattern_of(record)] == 1) == expected);
      bool in_run = false;
      for (const auto& [first, last] : cube.runs(q)) {
        CHECK(first / 3 == last / 3);  // within one row of the last dimension
        in_run = in_run || (first <= cell && cell <= last);
      }
      CHECK(in_run == expected);
    }
  }
  // At the least age the second query is true for p and r, which are not neighbours. So its first run is a single cell.
  CHECK(cube.runs(1).front() == std::pair<std::uint32_t, std::uint32_t>(0, 0));
}

TEST_CASE("too many combinations are refused before any record is read") {
  std::vector<Attribute> attributes;
  for (int i = 0; i < 23; ++i) attributes.push_back(Attribute::boolean("b" + std::to_string(i)).value());
  const Schema wide = Schema::create(std::move(attributes)).value();
  std::string all = "b0";
  for (int i = 1; i < 23; ++i) all += " and b" + std::to_string(i);
  CHECK(QueriedCube::create(wide, {Query::parse(wide, all).value()}).error().code == ErrorCode::kDomainTooLarge);
  CHECK(QueriedCube::create(wide, {Query::parse(wide, "b3 and b22").value()})->cells() == 4);
}

TEST_CASE("a conjunction is split into sets of values, one for each attribute, but other queries are not") {
  for (const auto& query : parse({"age in 12..14", "not age in {11, 13..15}", "b", "not b and c = q and age < 13",
                                  "age >= 12 and (age <= 14 and not (c = r))", "age in {10..12, 16} and age in 11..16",
                                  "age > 12 and age < 11"})) {
    const auto product = as_product(schema(), query);
    REQUIRE(product);
    for (const Record& record : all_records()) {
      bool inside = true;
      for (const auto& [attribute, values] : *product) {
        bool in_set = false;
        for (const auto& [first, last] : values)
          in_set = in_set || (first <= record[attribute] && record[attribute] <= last);
        inside = inside && in_set;
      }
      CHECK(inside == query.evaluate(record));
    }
  }
  for (const auto& query :
       parse({"b or c = q", "not (b and c = q)", "at_least(1, b, c = q)", "age >= 12 and (b or c = p)"})) {
    CHECK_FALSE(as_product(schema(), query));
  }
}

}  // namespace
}  // namespace hearsay::examples
