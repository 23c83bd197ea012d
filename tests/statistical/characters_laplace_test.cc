// Checks that `laplace` on `characters` gives unbiased estimates with the right stated variance.
//
// Each of 20,000 runs has 100 reports. The device's sampler draws the noise of each tally. 15 cells have two checks
// each:
// - The bias is at most 6.2 of its standard errors. False alarm: 6e-10.
// - The stated variance is within 6.5 % of the variance over the runs. The variance over the runs has a standard error
//   of 1 %, so 6.5 % are 6.4 standard errors. False alarm: 2e-10.
//
// The sum of the false alarms is below 2e-8. Detected for certain: a bias of 0.09 standard deviations of an estimate.
#include <numeric>

#include "aggregator/tally/tally.h"
#include "tests/statistical/sampled_coverage.h"

namespace hearsay::tests {
namespace {

constexpr std::uint64_t kReports = 100;
constexpr std::size_t kNoiseRuns = 20'000;

TEST_CASE("`laplace` on `characters` gives unbiased estimates with the stated variance") {
  const Task task = task_over("b b b", "8", CharactersSpec{2}, LaplaceSpec{});
  const auto& channel = laplace(task);
  const std::size_t d = channel.coordinates();
  CounterBitSource bits("characters with Laplace noise");
  std::vector<std::vector<std::int64_t>> noise(kNoiseRuns, std::vector<std::int64_t>(d, 0));
  std::vector<std::int64_t> draw(d);
  for (auto& sums : noise) {
    for (std::uint64_t i = 0; i < kReports; ++i) {
      channel.draw_noise(bits, draw);
      for (std::size_t j = 0; j < d; ++j) sums[j] += draw[j];
    }
  }
  for (const Population& population : populations(task.schema())) {
    const std::vector<std::uint64_t> people = population.people(kReports);
    std::vector<std::int64_t> exact(d, 0);
    std::vector<std::int8_t> embedding(d);
    for (std::size_t c = 0; c < people.size(); ++c) {
      task.arrangement().encode(population.cells[c], embedding);
      for (std::size_t j = 0; j < d; ++j) exact[j] += static_cast<std::int64_t>(people[c]) * embedding[j];
    }
    for (const std::string text : {"a0", "a0 and a1", "not a1 or a2"}) {
      const compiler::LinearQuery query = compile_query(task, Query::parse(task.schema(), text).value());
      Score score(true_fraction(task, text, population, people));
      Score steep(true_fraction(task, text, population, people));  // planted: weights that are 5 % too large
      for (const auto& sums : noise) {
        tally::LaplaceTally tally(d);
        tally.reports = kReports;
        for (std::size_t j = 0; j < d; ++j) tally.sum[j] = exact[j] + sums[j];
        estimator::Estimate answer = estimator::estimate(task, query, tally::Tally(std::move(tally)), 0.95).value();
        score.add(answer);
        answer.value = query.offset + (answer.value - query.offset) * 1.05;
        steep.add(answer);
      }
      INFO(population.name << ", " << text << ": bias/se " << score.bias_in_standard_errors()
                           << ", stated/true variance " << score.mean_stated_variance() / score.variance());
      CHECK(unbiased(score));
      CHECK(std::abs(score.mean_stated_variance() / score.variance() - 1) < 0.065);
      if (population.name == "constant") CHECK_FALSE(unbiased(steep));
    }
  }
}

}  // namespace
}  // namespace hearsay::tests
