#include "aggregator/central/calibration.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/numbers.h"

namespace hearsay::central {
namespace {

using tests::eps;
using tests::ratio;

TEST_CASE("noise is calibrated exactly, and budgets are divided exactly") {
  CHECK(exact(eps("0.3")) == ratio(3, 10));
  CHECK(whole(7) == ratio(7));
  CHECK(calibrated_noise(ratio(7, 2), ratio(3, 10))->scale() == ratio(35, 3));
  CHECK(calibrated_noise(whole(0), whole(1)).error().code == ErrorCode::kInvalidArgument);
  CHECK(calibrated_noise(whole(1), whole(0)).error().code == ErrorCode::kInvalidArgument);
  CHECK(calibrated_noise(whole(1ULL << 55U), whole(1)).error().code == ErrorCode::kScaleTooLarge);
  CHECK(rest_of(eps("1"), eps("0.3")).value() == ratio(7, 10));
  CHECK(rest_of(eps("64"), eps("0.000001")).value() == ratio(63'999'999, 1'000'000));
  CHECK(rest_of(eps("1"), eps("1")).error().code == ErrorCode::kInvalidArgument);
  CHECK(rest_of(eps("1"), eps("2")).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("tails of the noise and the largest noise agree with the law") {
  for (const Rational& scale : {ratio(1, 4), ratio(3), ratio(20)}) {
    const DiscreteLaplace noise = DiscreteLaplace::create(scale).value();
    const auto summed = [&noise](std::int64_t from) {
      double sum = 0;
      for (std::int64_t y = 2'000; y >= from; --y) sum += std::exp(noise.log_probability(y));
      return sum;
    };
    for (const std::int64_t y : {-9, -1, 0, 1, 2, 30}) {
      CHECK(upper_tail<double>(noise, y) == doctest::Approx(summed(y)).epsilon(1e-12).scale(0));
      CHECK(static_cast<double>(upper_tail<long double>(noise, y)) ==
            doctest::Approx(summed(y)).epsilon(1e-12).scale(0));
    }
    for (const double chance : {0.5, 0.01, 1e-6}) {
      const auto m = static_cast<std::int64_t>(largest_noise(noise, std::log(chance)));
      CHECK(2 * summed(m + 1) <= chance * (1 + 1e-9));
      if (m > 0) CHECK(2 * summed(m) > chance);
    }
  }
  CHECK(std::isfinite(largest_noise(DiscreteLaplace::create(whole(1ULL << 54U)).value(), std::log(1e-300))));
}

TEST_CASE("a number of records must be an integer of at most 2^53") {
  CHECK(record_count(0.2).value() == 1);
  CHECK(record_count(-5).value() == 1);
  CHECK(record_count(41.5).value() == 42);
  CHECK(record_count(kMostRecords).value() == std::uint64_t{1} << 53U);
  for (const double bad : {kMostRecords * 2, tests::kInfinity, tests::kNaN}) {
    CHECK(record_count(bad).error().code == ErrorCode::kOverflow);
  }
}

}  // namespace
}  // namespace hearsay::central
