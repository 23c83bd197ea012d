#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/measures/intervals.h"

namespace hearsay::measures {
namespace {

constexpr double kQuantile = 1.96;

// Returns true if the ratio θ is compatible with the pair of estimates, by the definition of Fieller's interval.
bool is_compatible(const Pair& pair, double theta) {
  const double variance = pair.first_variance - 2 * theta * pair.covariance + theta * theta * pair.second_variance;
  return std::abs(pair.first - theta * pair.second) <= kQuantile * std::sqrt(variance);
}

// Returns the limit between the compatible value `inside` and the incompatible value `outside`.
double end_between(const Pair& pair, double inside, double outside) {
  REQUIRE(is_compatible(pair, inside));
  REQUIRE_FALSE(is_compatible(pair, outside));
  for (int step = 0; step < 200; ++step) {
    const double middle = (inside + outside) / 2;
    (is_compatible(pair, middle) ? inside : outside) = middle;
  }
  return inside;
}

TEST_CASE("Fieller's interval contains exactly the ratios that are compatible with the pair of estimates") {
  for (const double first : {-0.4, 0.0, 0.03, 0.9}) {
    for (const double second : {-0.5, 0.1, 0.7}) {
      for (const double correlation : {-0.9, 0.0, 0.6, 0.99}) {
        const double deviations[] = {0.02, 0.04};
        const Pair pair{first, second, 4e-4, 1.6e-3, correlation * deviations[0] * deviations[1]};
        const Interval interval = fieller(pair, kQuantile);
        REQUIRE(is_bounded(interval));
        const double ratio = first / second;
        CHECK(interval.low == doctest::Approx(end_between(pair, ratio, ratio - 1e3)).epsilon(1e-9));
        CHECK(interval.high == doctest::Approx(end_between(pair, ratio, ratio + 1e3)).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("Fieller's interval is unbounded exactly if the denominator may be 0") {
  CHECK_FALSE(is_bounded(fieller({0.3, 0.1959, 1e-4, 0.01, 0}, kQuantile)));
  CHECK(is_bounded(fieller({0.3, 0.1961, 1e-4, 0.01, 0}, kQuantile)));
  CHECK_FALSE(is_bounded(fieller({0, 0, 0, 0, 0}, kQuantile)));
}

TEST_CASE("variances that are recovered from symmetric intervals give the normal interval of the difference") {
  const double deviations[] = {0.03, 0.05};
  for (const double correlation : {-1.0, -0.3, 0.0, 0.8}) {
    const Pair pair{0.4, 0.1, 9e-4, 25e-4, correlation * deviations[0] * deviations[1]};
    const double half = kQuantile * std::sqrt(9e-4 + 25e-4 - 2 * pair.covariance);
    const Interval first{0.4 - kQuantile * deviations[0], 0.4 + kQuantile * deviations[0]};
    const Interval second{0.1 - kQuantile * deviations[1], 0.1 + kQuantile * deviations[1]};
    const Interval interval = recovered(pair, first, second);
    CHECK(interval.low == doctest::Approx(0.3 - half));
    CHECK(interval.high == doctest::Approx(0.3 + half));
  }
}

TEST_CASE("the difference takes each recovered variance from the right end of its interval") {
  // Without correlation, the lower end of the difference comes from the lower end of the first interval and the upper
  // end of the second. The upper end comes from the other two ends.
  const Interval interval = recovered({0.5, 0.2, 1, 1, 0}, {0.47, 0.58}, {0.14, 0.24});
  CHECK(interval.low == doctest::Approx(0.3 - std::hypot(0.03, 0.04)));
  CHECK(interval.high == doctest::Approx(0.3 + std::hypot(0.08, 0.06)));
  CHECK_FALSE(is_bounded(recovered({0.5, 0.2, 1, 1, 0}, unbounded(), {0.14, 0.24})));
  CHECK_FALSE(is_bounded(recovered({0.5, 0.2, 1, 1, 0}, {0.47, 0.58}, unbounded())));
}

TEST_CASE("intervals of differences and ratios contain exactly the values that their operands allow") {
  const Interval tops[] = {{-0.3, -0.1}, {-0.2, 0.4}, {0.1, 0.5}};
  const Interval bottoms[] = {{-0.7, -0.2}, {0.25, 0.8}};
  for (const Interval& x : tops) {
    for (const Interval& y : bottoms) {
      Interval subtracted{1e9, -1e9};
      Interval divided{1e9, -1e9};
      for (int i = 0; i <= 40; ++i) {
        for (int j = 0; j <= 40; ++j) {
          const double a = x.low + (x.high - x.low) * i / 40;
          const double b = y.low + (y.high - y.low) * j / 40;
          subtracted = {std::min(subtracted.low, a - b), std::max(subtracted.high, a - b)};
          divided = {std::min(divided.low, a / b), std::max(divided.high, a / b)};
        }
      }
      CHECK(difference(x, y).low == doctest::Approx(subtracted.low));
      CHECK(difference(x, y).high == doctest::Approx(subtracted.high));
      CHECK(ratio(x, y).low == doctest::Approx(divided.low));
      CHECK(ratio(x, y).high == doctest::Approx(divided.high));
    }
  }
  CHECK_FALSE(is_bounded(ratio({0.1, 0.2}, {-0.1, 0.3})));
  CHECK_FALSE(is_bounded(ratio({0.1, 0.2}, {0, 0.3})));
  CHECK_FALSE(is_bounded(ratio(unbounded(), {0.1, 0.3})));
}

}  // namespace
}  // namespace hearsay::measures
