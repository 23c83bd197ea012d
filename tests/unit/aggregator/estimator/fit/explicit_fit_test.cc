#include "aggregator/estimator/fit/explicit_fit.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "tests/support/explicit_tasks.h"
#include "tests/support/laplace_tasks.h"

namespace hearsay::estimator {
namespace {

tally::Tally tally_of(const std::vector<std::int64_t>& sums, std::uint64_t reports) {
  tally::LaplaceTally tally(sums.size());
  tally.reports = reports;
  tally.sum = sums;
  return tally::Tally(std::move(tally));
}

// The task has two booleans with the vectors (±2, ±1), and the query says that both are true. So the class means are
// (2, 1) and (-2, -1)/3. The vector w = (1, -2) is orthogonal to their difference. The statistic is ⟨w,x⟩²/(w'Vw),
// where x is the mean vector minus the second class mean and V its covariance.
TEST_CASE("the statistic of two coordinates agrees with a calculation by hand") {
  ExplicitSpec spec{2, {-2, -1, -2, 1, 2, -1, 2, 1}, {{"a0 and a1", {1, 1}}}};
  const Task task = Task::create(tests::explicit_spec("b b", spec, "3")).value();
  const double noise = tests::laplace_of(task).noise_variance(0);
  compiler::Work work;
  const auto compiled = compiler::compile(task, Query::parse(task.schema(), "a0 and a1").value(), work).value();
  const double n = 1000;
  const auto tally = tally_of({100, -200}, 1000);  // the means are (0.1, -0.2)
  const GoodnessOfFit fit = goodness_of_fit(task, compiled, tally, work).value();
  CHECK(fit.all.degrees == 1);
  CHECK(fit.all.p == fit.query.p);

  // Fits ω step by step, by the method of the estimator. The vectors of class 1 are all equal. In class 0 they have the
  // variances 32/9 and 8/9 and the covariance -8/9.
  double omega = 0.5;
  double statistic = 0;
  const double x[2] = {0.1 + 2.0 / 3, -0.2 + 1.0 / 3};
  for (int round = 0; round < 3; ++round) {
    const double left = 1 - std::clamp(omega, 0.0, 1.0);
    const double a = (left * 32 / 9 + noise) / n + 1 / (n * n);
    const double b = left * -8 / 9 / n;
    const double d = (left * 8 / 9 + noise) / n + 1 / (n * n);
    statistic = std::pow(x[0] - 2 * x[1], 2) / (a - 4 * b + 4 * d);
    const double det = a * d - b * b;
    const double delta[2] = {8.0 / 3, 4.0 / 3};
    const double weights[2] = {(d * delta[0] - b * delta[1]) / det, (a * delta[1] - b * delta[0]) / det};
    omega = (weights[0] * x[0] + weights[1] * x[1]) / (weights[0] * delta[0] + weights[1] * delta[1]);
  }
  CHECK(fit.all.statistic == doctest::Approx(statistic).scale(0).epsilon(1e-9));
  CHECK(fit.all.p == doctest::Approx(std::erfc(std::sqrt(statistic / 2))).scale(0).epsilon(1e-9));

  CHECK(goodness_of_fit(task, compiled, tally_of({1}, 1000), work).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hearsay::estimator
