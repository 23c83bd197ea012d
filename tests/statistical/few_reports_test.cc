// Compares the warning about few reports with the exact coverage of the normal interval. The test computes the coverage
// from exact laws, without random draws.
//
// - `sampled`: the reports ask one group of s bits (a single for s = 1, raw otherwise). The query is "all bits are
//   1". The estimate depends only on the number h of reports that answer "all bits are 1". If the query is true for m
//   of n people, h is the sum of Bin(m, γ + (1-γ)/2^s) and Bin(n - m, (1-γ)/2^s).
// - `laplace`: one boolean, and the law of a sum of discrete Laplace noise.
//
// The nominal coverage is 95 %. The warning must satisfy two rules:
// - If the coverage is below 93 %, the answer has the warning more often than not.
// - If the coverage is right, the answer has the warning less often than not. "Right" means 94.5 % or more for m and
//   for every number of people within three standard errors of m. A tally cannot tell these numbers apart.
//
// With fewer than 50 reports the warning is sometimes wrong, because the answers lie on a lattice whose points may be
// near an end of the interval. So the test of `sampled` begins at 50 reports. With fewer than 8 reports there is
// always a warning.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "tests/statistical/simulation.h"
#include "tests/support/planned_tasks.h"
#include "tests/support/sampled_tallies.h"
#include "tests/support/sampled_tasks.h"
#include "tests/unit/aggregator/tails/discrete_laplace_sum.h"

namespace hearsay::tests {
namespace {

struct Answer {
  estimator::Interval interval;
  bool warns;
};

Answer answer_of(const estimator::Estimate& estimate) {
  const bool warns = std::ranges::any_of(
      estimate.warnings, [](const std::string& warning) { return warning.find("few reports") != std::string::npos; });
  return {estimate.normal, warns};
}

// Probabilities that the interval covers, and that the answer has the warning.
struct Outcome {
  double covered = 0;
  double warned = 0;
  void add(double probability, const Answer& answer, double truth) {
    if (answer.interval.low <= truth && truth <= answer.interval.high) covered += probability;
    if (answer.warns) warned += probability;
  }
};

void check(const Outcome& outcome, bool is_right, const std::string& what) {
  INFO(what << ": coverage " << outcome.covered << ", warned " << outcome.warned);
  if (outcome.covered < 0.93) CHECK(outcome.warned > 0.5);
  if (is_right) CHECK(outcome.warned < 0.5);
}

double binomial(std::uint64_t n, std::uint64_t k, double q) {
  if (q >= 1) return k == n ? 1 : 0;
  const auto log_factorial = [](std::uint64_t i) { return std::lgamma(static_cast<double>(i) + 1); };
  return std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) + static_cast<double>(k) * std::log(q) +
                  static_cast<double>(n - k) * std::log1p(-q));
}

class OneGroup {
 public:
  OneGroup(std::uint32_t bits, const std::string& epsilon, std::uint64_t n) : n_(n) {
    const GroupKind kind = bits == 1 ? GroupKind::kSingle : GroupKind::kRaw;
    const Task task =
        task_over(booleans(static_cast<int>(bits)), epsilon, CharactersSpec{bits}, groups_of({{kind, bits, 1}}));
    std::string text = "a0";
    for (std::uint32_t i = 1; i < bits; ++i) text += " and a" + std::to_string(i);
    const compiler::LinearQuery query = compile_query(task, Query::parse(task.schema(), text).value());
    const SampledChannel& channel = sampled_of(task);
    const double gamma = channel.gamma(channel.class_of(0));
    wrong_ = (1 - gamma) / static_cast<double>(1U << bits);
    right_ = gamma + wrong_;
    const auto answer = [&](std::uint32_t value) {
      return channel.true_value(0, Record::create(task.schema(), std::vector<std::uint32_t>(bits, value)).value());
    };
    for (std::uint64_t h = 0; h <= n; ++h) {
      const tally::Tally tally = sampled_tally_of({{0, answer(1), h}, {0, answer(0), n - h}});
      answers_.push_back(answer_of(estimator::estimate(task, query, tally, 0.95).value()));
    }
    deviation_ = std::sqrt(static_cast<double>(n) * wrong_ * (1 - wrong_)) / gamma;
  }

  Outcome outcome(std::uint64_t ones) const {
    Outcome result;
    const std::vector<double> kept = law(ones, right_);
    const std::vector<double> added = law(n_ - ones, wrong_);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] < 1e-12) continue;
      for (std::size_t j = 0; j < added.size(); ++j) {
        if (added[j] < 1e-12) continue;
        result.add(kept[i] * added[j], answers_[i + j], static_cast<double>(ones) / static_cast<double>(n_));
      }
    }
    return result;
  }

  bool is_right(std::uint64_t ones) const {
    const auto reach = static_cast<std::uint64_t>(std::ceil(3 * deviation_));
    const std::uint64_t first = ones - std::min(ones, reach);
    const std::uint64_t last = std::min(n_, ones + reach);
    for (std::uint64_t m = first; m <= last; ++m) {
      if (outcome(m).covered < 0.945) return false;
    }
    return true;
  }

 private:
  static std::vector<double> law(std::uint64_t n, double q) {
    std::vector<double> probabilities;
    for (std::uint64_t k = 0; k <= n; ++k) probabilities.push_back(binomial(n, k, q));
    return probabilities;
  }

  std::uint64_t n_;
  double wrong_ = 0;
  double right_ = 0;
  double deviation_ = 0;  // the standard error of the estimated number of people
  std::vector<Answer> answers_;
};

TEST_CASE("the warning about few reports is right for one group") {
  std::size_t low = 0;
  std::size_t right = 0;
  for (const std::uint32_t bits : {1U, 2U, 4U}) {
    for (const std::string epsilon : {"1", "4", "8", "12"}) {
      for (const std::uint64_t n : {50U, 100U, 200U, 500U, 1000U}) {
        const OneGroup group(bits, epsilon, n);
        for (const double fraction : {0.0, 0.001, 0.01, 0.5, 1.0}) {
          const auto ones = static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(n)));
          if (ones == 0 && fraction > 0) continue;
          const Outcome outcome = group.outcome(ones);
          const bool is_right = outcome.covered >= 0.945 && group.is_right(ones);
          low += outcome.covered < 0.93 ? 1 : 0;
          right += is_right ? 1 : 0;
          check(outcome, is_right,
                std::to_string(bits) + " bits, ε = " + epsilon + ", " + std::to_string(ones) + " of " +
                    std::to_string(n));
        }
      }
    }
  }
  MESSAGE("below 93 %: " << low << ", right: " << right);
  CHECK(low > 20);
  CHECK(right > 20);
}

// Everybody has the value `false`. The estimate's error is half the mean of the noise. The standard error is the same
// in all runs.
TEST_CASE("the warning about few reports is right for Laplace noise") {
  for (const double epsilon : {1, 2, 4, 8, 12, 20}) {
    const Task task = boolean_task(1, std::to_string(static_cast<int>(epsilon)));
    const compiler::LinearQuery query = compile_query(task, Query::parse(task.schema(), "b0").value());
    IntegerLaw noise = IntegerLaw::zero();
    const IntegerLaw one = IntegerLaw::laplace(2 / epsilon, 1);
    for (int n = 1; n <= 40; ++n) {
      noise = noise.plus(one);
      tally::LaplaceTally tally(1);
      tally.reports = static_cast<std::uint64_t>(n);
      tally.sum = {-n};
      const Answer answer = answer_of(estimator::estimate(task, query, tally::Tally(std::move(tally)), 0.95).value());
      Outcome outcome{1 - 2 * noise.upper_tail(std::floor(2 * n * answer.interval.high) + 1), 0};
      outcome.warned = answer.warns ? 1 : 0;
      check(outcome, outcome.covered >= 0.945,
            "laplace, ε = " + std::to_string(epsilon) + ", n = " + std::to_string(n));
    }
  }
}

}  // namespace
}  // namespace hearsay::tests
