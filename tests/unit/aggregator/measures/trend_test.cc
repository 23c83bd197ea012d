#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "aggregator/measures/trend.h"
#include "tests/support/statistics.h"
#include "tests/support/tally_simulator.h"

namespace hearsay::measures {
namespace {

Answer answer(double value, double standard_error) {
  return {value, standard_error, {}, {}, compiler::Guarantee::kWorstCase, 0, {}};
}

TEST_CASE("two periods are compared as two independent estimates") {
  for (const double change : {0.0, 0.01, 0.05, 0.2}) {
    const auto test = test_no_change(std::vector{answer(0.3, 0.03), answer(0.3 + change, 0.04)});
    REQUIRE(test);
    const double z = change / 0.05;
    CHECK(test->degrees == 1);
    CHECK(test->statistic == doctest::Approx(z * z));
    CHECK(test->p == doctest::Approx(std::erfc(z / std::sqrt(2.0))));
  }
}

TEST_CASE("the statistic does not depend on the level or the scale of the values") {
  const std::vector<double> values{0.1, 0.4, 0.2, 0.35};
  const std::vector<double> errors{0.1, 0.05, 0.2, 0.07};
  std::vector<Answer> plain;
  std::vector<Answer> moved;
  for (std::size_t i = 0; i < values.size(); ++i) {
    plain.push_back(answer(values[i], errors[i]));
    moved.push_back(answer(40 + 7 * values[i], 7 * errors[i]));
  }
  CHECK(test_no_change(plain)->statistic == doctest::Approx(test_no_change(moved)->statistic));
  CHECK(test_no_change(plain)->degrees == 3);
}

TEST_CASE("the test of no change leaves out periods without a standard error, and needs two other periods") {
  CHECK_FALSE(test_no_change({}));
  CHECK_FALSE(test_no_change(std::vector{answer(0.3, 0.1)}));
  CHECK_FALSE(test_no_change(std::vector{answer(0.3, 0.1), answer(0.5, 0)}));
  const auto test = test_no_change(std::vector{answer(0.3, 0.1), answer(0.9, 0), answer(0.4, 0.1)});
  REQUIRE(test);
  CHECK(test->degrees == 1);
  CHECK(test->statistic == doctest::Approx(0.5));
}

// 20,000 series of five periods have no change. The test fails if a share is off by 0.02, which is 5.7 standard errors
// at the median. All checks together have a false alarm of 1e-6.
TEST_CASE("the p-values of the test of no change are uniform if nothing changed") {
  constexpr std::uint64_t kSeries = 20'000;
  tests::FastRandom random("no change");
  std::vector<std::uint64_t> below(4, 0);
  const double limits[] = {0.01, 0.05, 0.5, 0.9};
  for (std::uint64_t series = 0; series < kSeries; ++series) {
    std::vector<Answer> answers;
    for (const double deviation : {0.01, 0.02, 0.03, 0.02, 0.05}) {
      answers.push_back(answer(std::normal_distribution<double>(0.4, deviation)(random), deviation));
    }
    const double p = test_no_change(answers)->p;
    for (std::size_t i = 0; i < 4; ++i) below[i] += p <= limits[i] ? 1 : 0;
  }
  for (std::size_t i = 0; i < 4; ++i) CHECK(tests::binomial_band(kSeries, limits[i], 2.5e-7).contains(below[i]));
}

}  // namespace
}  // namespace hearsay::measures
