#include "aggregator/central/synthetic/consistent_database.h"

#include <doctest/doctest.h>

#include <cmath>

#include "common/privacy/samplers.h"
#include "tests/support/bit_sources.h"
#include "tests/support/numbers.h"
#include "tests/unit/aggregator/central/synthetic/classes.h"

namespace hearsay::central {
namespace {

double real(BitSource& bits, double least, double most) {
  return least + (most - least) * static_cast<double>(uniform_below(bits, 0)) * 0x1p-64;
}

std::vector<double> answers_of(const QueryClass& queries, const std::vector<double>& database) {
  std::vector<double> answers(queries.size(), 0);
  for (std::size_t x = 0; x < queries.domain(); ++x) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      answers[q] += database[x] * queries.weights_of(x)[q] / static_cast<double>(queries.unit());
    }
  }
  return answers;
}

// The queries are two elements and their sum. The answer about the sum is off by s. The best database distributes the
// error s over the three answers.
TEST_CASE("the optimum of a linear program agrees with a solution by hand") {
  const QueryClass queries = QueryClass::predicates({{1, 0}, {0, 1}, {1, 1}}).value();
  for (const double s : {-6.0, 0.0, 3.0}) {
    const ConsistentDatabase found = consistent_database(queries, std::vector{5.0, 7.0, 12 + s}).value();
    CHECK(found.error == doctest::Approx(std::abs(s) / 3).epsilon(1e-9));
    CHECK(found.weights[0] == doctest::Approx(5 + s / 3).epsilon(1e-9));
  }
  // Weights are not negative, so the best total for the answers -4 and -2 is 0.
  CHECK(consistent_database(queries, std::vector{-4.0, 1.0, -2.0})->error == doctest::Approx(4));
}

TEST_CASE(
    "if answers are within e of a database, the result is within 2e of the database and at most e off the answers") {
  tests::CounterBitSource bits("programs");
  for (const QueryClass& queries : {intervals(8), thresholds(12)}) {
    for (const double error : {0.0, 0.5, 20.0}) {
      std::vector<double> database;
      for (std::size_t x = 0; x < queries.domain(); ++x) database.push_back(real(bits, 0, 50));
      const std::vector<double> truth = answers_of(queries, database);
      std::vector<double> noisy;
      for (const double answer : truth) noisy.push_back(answer + real(bits, -error, error));
      const ConsistentDatabase found = consistent_database(queries, noisy).value();
      CHECK(found.error <= error + 1e-6);
      const std::vector<double> answers = answers_of(queries, found.weights);
      for (std::size_t q = 0; q < truth.size(); ++q) CHECK(std::abs(answers[q] - truth[q]) <= 2 * error + 1e-6);
    }
  }
}

TEST_CASE("malformed answers and programs that are too large are refused") {
  CHECK(consistent_database(intervals(3), std::vector{1.0}).error().code == ErrorCode::kInvalidArgument);
  CHECK(consistent_database(thresholds(3), std::vector{1.0, tests::kNaN}).error().code == ErrorCode::kInvalidArgument);
  CHECK(consistent_database(intervals(90), std::vector<double>(4095, 0)).error().code == ErrorCode::kDomainTooLarge);
}

}  // namespace
}  // namespace hearsay::central
