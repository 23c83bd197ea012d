#include "aggregator/central/audit/printed_intervals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace hearsay::central {
namespace {

// There are two cells. The question is about the count of cell 0 among n rows, with the thresholds n(ε/4 ± ε²/8) and
// noise of scale 4/(αε).
TEST_CASE("the answer to one question has the law of the question's noise") {
  const PrintedIntervals mechanism(1, 0.5, 2);
  const double scale = 4 / (2 * 0.5);
  const auto below = [&](double t) { return t < 0 ? std::exp(t / scale) / 2 : 1 - std::exp(-t / scale) / 2; };
  for (const Rows& rows : {Rows{0}, Rows{1}, Rows{0, 0, 1}}) {
    const auto n = static_cast<double>(rows.size());
    const auto count = static_cast<double>(std::count(rows.begin(), rows.end(), 0U));
    const PrintedIntervals::Law law = mechanism.law(rows);
    CHECK(static_cast<double>(law[0][1]) == doctest::Approx(below(n * (0.125 - 0.03125) - count)).epsilon(1e-12));
    CHECK(static_cast<double>(law[0][0] + law[0][1]) == doctest::Approx(1).epsilon(1e-15));
    CHECK(static_cast<double>(law[1][1]) == doctest::Approx(1).epsilon(1e-15));
  }
}

TEST_CASE("the worst division of the rows gives the largest log-ratio") {
  const PrintedIntervals mechanism(2, 0.75, 1);
  for (const auto& [first, second] : {std::pair{Rows{3}, Rows{0}}, {Rows{1, 2}, Rows{2, 2}}}) {
    const auto p = mechanism.law(first);
    const auto q = mechanism.law(second);
    long double largest = 0;
    long double total = 0;
    for (std::uint32_t cuts = 0; cuts < 8; ++cuts) {
      long double of_first = 1;
      long double of_second = 1;
      std::uint32_t from = 0;
      for (std::uint32_t end = 0; end < 4; ++end) {
        if (end < 3 && (cuts >> end & 1U) == 0) continue;
        of_first *= p[from][end];
        of_second *= q[from][end];
        from = end + 1;
      }
      total += of_first;
      largest = std::max(largest, of_first / of_second);
    }
    CHECK(static_cast<double>(total) == doctest::Approx(1).epsilon(1e-14));
    const long double found = PrintedIntervals::largest_log_ratio(p, q);
    CHECK(static_cast<double>(std::exp(found)) == doctest::Approx(static_cast<double>(largest)).epsilon(1e-14));
  }
}

}  // namespace
}  // namespace hearsay::central
