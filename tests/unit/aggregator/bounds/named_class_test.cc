#include "aggregator/bounds/named_class.h"

#include <doctest/doctest.h>

#include <ctime>
#include <set>
#include <string>
#include <vector>

namespace hearsay::bounds {
namespace {

std::size_t queries_of(const ClassSpec& spec) { return make_class(spec)->queries.size(); }

TEST_CASE("each named class has the right number of queries") {
  // There are Σ C(k,i)·2^i sets of literals. A single literal and its negation count as one query.
  CHECK(queries_of({"monomials", 3, 1, 2}) == 3);
  CHECK(queries_of({"monomials", 3, 2, 2}) == 3 + 12);
  CHECK(queries_of({"monomials", 3, {}, 2}) == 3 + 12 + 8);
  CHECK(queries_of({"clauses", 3, {}, 2}) == 23);
  CHECK(queries_of({"parities", 4, {}, 2}) == 15);
  CHECK(queries_of({"parities", 4, 2, 2}) == 10);
  CHECK(queries_of({"thresholds", 1, {}, 8}) == 7);
  CHECK(queries_of({"thresholds", 2, {}, 4}) == 6);
  // 4 values have 10 ranges. One range is always true. The 3 prefixes are negations of the 3 suffixes.
  CHECK(queries_of({"boxes", 1, {}, 4}) == 6);
}

TEST_CASE("decision lists of two attributes give all functions except the exclusive or") {
  // Without the two constants and the two exclusive ors, 12 of the 16 functions remain: 6 queries and their negations.
  CHECK(queries_of({"decision-lists", 2, {}, 2}) == 6);
  // A decision list whose label changes once is a monomial or a clause.
  CHECK(queries_of({"decision-lists", 3, 1, 2}) == 23);
}

TEST_CASE("the matrix of a named class agrees with the queries on every record") {
  for (const char* name : {"monomials", "clauses", "parities", "decision-lists", "boxes", "thresholds"}) {
    const NamedClass made = make_class({name, 2, {}, 3}).value();
    std::set<std::vector<bool>> columns;
    for (std::size_t f = 0; f < made.queries.size(); ++f) {
      std::vector<bool> column;
      std::size_t x = 0;
      for (std::uint32_t first = 0; first < made.schema[0].size(); ++first) {
        for (std::uint32_t second = 0; second < made.schema[1].size(); ++second, ++x) {
          const std::vector<std::uint32_t> record{first, second};
          const bool holds = made.queries[f].evaluate(record);
          CHECK(made.matrix(x, f) == (holds ? 1 : -1));
          column.push_back(holds == (made.matrix(0, f) == 1));
        }
      }
      CHECK(made.matrix.imbalance(f) < 1);
      columns.insert(column);
    }
    CHECK(columns.size() == made.queries.size());  // no column occurs twice or beside its negation
  }
}

TEST_CASE("unknown names of classes and numbers out of range are refused") {
  CHECK(make_class({"monomial", 3, {}, 2}).error().code == ErrorCode::kInvalidArgument);
  CHECK(make_class({"monomials", 0, {}, 2}).error().code == ErrorCode::kInvalidArgument);
  CHECK(make_class({"monomials", 40, {}, 2}).error().code == ErrorCode::kInvalidArgument);
  CHECK(make_class({"monomials", 3, 4, 2}).error().code == ErrorCode::kInvalidArgument);
  CHECK(make_class({"boxes", 2, 1, 4}).error().code == ErrorCode::kInvalidArgument);
  CHECK(make_class({"boxes", 8, {}, 64}).error().code == ErrorCode::kLimitExceeded);
  CHECK(make_class({"thresholds", 1, {}, 1}).error().code == ErrorCode::kInvalidArgument);
}

// To make the queries of these classes would take up to 26 s.
TEST_CASE("a class that is too large is refused before its queries are made, and the error names the limit") {
  const std::clock_t start = std::clock();
  for (const ClassSpec& spec :
       {ClassSpec{"thresholds", 2, {}, 1024}, ClassSpec{"monomials", 10, {}, 2}, ClassSpec{"monomials", 9, {}, 2},
        ClassSpec{"clauses", 9, {}, 2}, ClassSpec{"boxes", 2, {}, 64}}) {
    CAPTURE(spec.name);
    const Error error = make_class(spec).error();
    CHECK(error.code == ErrorCode::kLimitExceeded);
    CHECK(error.message.find("4,194,304") != std::string::npos);
  }
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 0.5);
  CHECK(make_class({"monomials", 10, 1, 2})->queries.size() == 10);
}

}  // namespace
}  // namespace hearsay::bounds
