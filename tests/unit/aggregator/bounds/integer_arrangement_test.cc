#include "aggregator/bounds/integer_arrangement.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "aggregator/bounds/brackets.h"
#include "aggregator/bounds/named_class.h"
#include "common/arrangement/explicit.h"

namespace hearsay::bounds {
namespace {

// Returns the least margin of integer vectors by its definition, after dividing all records by the largest norm.
double least_margin(const ExplicitSpec& spec, const Schema& schema, const std::vector<Record>& records) {
  double largest = 0;
  const std::size_t d = spec.dimension;
  for (std::size_t x = 0; x < records.size(); ++x) {
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) square += spec.records[x * d + j] * spec.records[x * d + j];
    largest = std::max(largest, square);
  }
  double least = 1;
  for (const ExplicitQuery& named : spec.queries) {
    const Query query = Query::parse(schema, named.query).value();
    double sum[2] = {0, 0};
    double count[2] = {0, 0};
    double norm = 0;
    for (const std::int8_t entry : named.vector) norm += entry * entry;
    for (std::size_t x = 0; x < records.size(); ++x) {
      const int b = query.evaluate(records[x]) ? 1 : 0;
      count[b] += 1;
      for (std::size_t j = 0; j < d; ++j) sum[b] += spec.records[x * d + j] * named.vector[j];
    }
    least = std::min(least, (sum[1] / count[1] - sum[0] / count[0]) / 2 / std::sqrt(norm * largest));
  }
  return least;
}

std::vector<Record> universe(const Schema& schema) {
  std::vector<Record> records;
  const std::uint64_t size = schema.universe_size().value();
  for (std::uint64_t x = 0; x < size; ++x) {
    std::vector<std::uint32_t> values(schema.size());
    std::uint64_t rest = x;
    for (std::size_t i = schema.size(); i-- > 0; rest /= schema[i].size()) {
      values[i] = static_cast<std::uint32_t>(rest % schema[i].size());
    }
    records.push_back(Record::create(schema, values).value());
  }
  return records;
}

TEST_CASE("rounding to a byte loses little of the margin, and the result states the loss") {
  for (const ClassSpec& spec :
       {ClassSpec{"monomials", 2, {}, 2}, ClassSpec{"thresholds", 1, {}, 7}, ClassSpec{"parities", 2, {}, 2}}) {
    CAPTURE(spec.name);
    const NamedClass named = make_class(spec).value();
    const MarginBracket bracket = largest_margin(named.matrix, Average::kClasses).value();
    const IntegerArrangement integers =
        integer_arrangement(named.matrix, bracket.arrangement, named.schema, named.queries).value();
    CHECK(integers.before == doctest::Approx(bracket.low).epsilon(1e-6));
    // By rounding the unit vector of a record or a query moves by at most √d/127.
    CHECK(std::abs(integers.after - integers.before) <= 2 * std::sqrt(integers.spec.dimension) / 127);
    CHECK(integers.after ==
          doctest::Approx(least_margin(integers.spec, named.schema, universe(named.schema))).epsilon(1e-9));
    CHECK(integers.spec.queries.size() == named.queries.size());
  }
}

TEST_CASE(
    "all records have one scale, so a shorter vector stays shorter, and padding and repeated queries are left out") {
  const SignMatrix matrix = SignMatrix::create(3, 4, {1, 1, 1, 1, -1, -1, 1, 1, -1, -1, 1, -1}).value();
  const NumberedClass numbered = numbered_class(matrix).value();
  VectorArrangement arrangement{Eigen::MatrixXd(3, 3), Eigen::MatrixXd(3, 4)};
  arrangement.records << 1, 0.5, -1, 0, -1, 1, 0.1, 0.2, 0.3;  // no query uses the last coordinate
  arrangement.queries << 1, 1, 1, 0.25, 1, 1, 1, -0.5, 0, 0, 0, 0;
  const IntegerArrangement integers =
      integer_arrangement(matrix, arrangement, numbered.schema, numbered.queries).value();
  CHECK(integers.spec.dimension == 2);
  CHECK(integers.spec.records == std::vector<std::int8_t>{127, 0, 64, -127, -127, 127});
  REQUIRE(integers.spec.queries.size() == 2);  // of four queries, one is repeated and one is constant
  CHECK(integers.spec.queries[0].query == "record = 0");
  CHECK(integers.spec.queries[0].vector == std::vector<std::int8_t>{127, 127});
  CHECK(integers.spec.queries[1].query == "record <= 1");
  CHECK(integers.spec.queries[1].vector == std::vector<std::int8_t>{64, -127});
}

TEST_CASE("a vector that is rounded to zero is an error") {
  const SignMatrix matrix = SignMatrix::create(2, 1, {1, 1}).value();
  const NumberedClass numbered = numbered_class(matrix).value();
  const VectorArrangement zeros{Eigen::MatrixXd::Zero(2, 2), Eigen::MatrixXd::Ones(2, 1)};
  CHECK(integer_arrangement(matrix, zeros, numbered.schema, numbered.queries).error().code ==
        ErrorCode::kInvalidArgument);
  const VectorArrangement ones{Eigen::MatrixXd::Identity(2, 2), Eigen::MatrixXd::Ones(2, 1)};
  CHECK(integer_arrangement(matrix, ones, numbered.schema, numbered.queries).error().code ==
        ErrorCode::kInvalidArgument);  // the only query is constant
}

}  // namespace
}  // namespace hearsay::bounds
