// Populations, runs and checks that the coverage tests of the channel `sampled` share.
//
// Thresholds. A program has at most 150 cells (query, population, ε):
// - Coverage of the 95 % interval is between 94 % and 96 % of 24,000 runs. The standard error is 0.141 %. There are so
//   many reports that every coordinate expects at least 1,700 of its rarer answer. The counts lie on a lattice, so the
//   true coverage may differ from 95 % by φ(1.96)/√1700 = 0.14 %. (φ is the normal density.) So the nearer end of the
//   band is 6.1 standard errors away. False alarm: 1e-9.
// - The bias is at most 6.2 of its standard errors. False alarm: 6e-10. A bias of 0.08 standard deviations of an
//   estimate is detected for certain.
// - The mean stated variance is within 5.5 % of the variance over the runs. The variance over the runs has the
//   relative standard error √(2/24000) = 0.91 %, so 5.5 % are 6.0 standard errors.
// - The guaranteed interval covers at least 95 %. Its true coverage is above 99 %.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tests/statistical/simulation.h"
#include "tests/support/planned_tasks.h"
#include "tests/support/statistics.h"
#include "tests/support/tally_simulator.h"

namespace hearsay::tests {

inline constexpr std::size_t kRuns = 24'000;

struct Population {
  std::string name;
  std::vector<Record> cells;
  std::vector<double> weights;

  std::vector<std::uint64_t> people(std::uint64_t n) const {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::uint64_t> counts;
    for (const double weight : weights) {
      counts.push_back(static_cast<std::uint64_t>(std::floor(static_cast<double>(n) * weight / sum)));
    }
    counts[0] += n - std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    return counts;
  }
};

// Returns five populations for three attributes or more:
// - constant: all people are alike.
// - one-sided: nearly all people are alike.
// - correlated: for 98 % the second attribute equals the first, and the third is its opposite.
// - adversarial: the third attribute is the parity of the others, so it is independent of each of them.
// - random: random people.
inline std::vector<Population> populations(const Schema& schema) {
  std::vector<Population> all;
  const auto cell = [&](std::vector<std::uint32_t> values) {
    values.resize(schema.size(), 0);
    return Record::create(schema, std::move(values)).value();
  };
  all.push_back({"constant", {cell({1, 1, 1})}, {1}});
  all.push_back({"one-sided", {cell({1, 0, 1}), cell({0, 0, 1})}, {999, 1}});
  all.push_back({"correlated", {cell({0, 0, 1}), cell({1, 1, 0}), cell({1, 0, 0})}, {60, 38, 2}});
  all.push_back({"adversarial", {cell({0, 0, 0}), cell({0, 1, 1}), cell({1, 0, 1}), cell({1, 1, 0})}, {1, 1, 1, 1}});
  all.push_back({"random", all_records(schema), {}});
  for (std::size_t i = 0; i < all.back().cells.size(); ++i)
    all.back().weights.push_back(1.0 + 0.3 * static_cast<double>(i % 3));
  return all;
}

inline double true_fraction(const Task& task, const std::string& text, const Population& population,
                            std::span<const std::uint64_t> people) {
  const Query query = Query::parse(task.schema(), text).value();
  double ones = 0;
  double all = 0;
  for (std::size_t c = 0; c < people.size(); ++c) {
    all += static_cast<double>(people[c]);
    if (query.evaluate(population.cells[c])) ones += static_cast<double>(people[c]);
  }
  return ones / all;
}

inline bool unbiased(const Score& score) { return std::abs(score.bias_in_standard_errors()) < normal_threshold(6e-10); }
inline bool covers(const Score& score) { return score.coverage() >= 0.94 && score.coverage() <= 0.96; }
inline bool variance_as_stated(const Score& score) {
  return std::abs(score.mean_stated_variance() / score.variance() - 1) < 0.055;
}

inline void check_score(const Score& score, const std::string& what) {
  INFO(what << ": coverage " << score.coverage() << ", guaranteed " << score.guaranteed_coverage() << ", bias/se "
            << score.bias_in_standard_errors() << ", stated/true variance "
            << score.mean_stated_variance() / score.variance());
  CHECK(unbiased(score));
  CHECK(covers(score));
  CHECK(variance_as_stated(score));
  CHECK(score.guaranteed_coverage() >= 0.95);
}

inline std::vector<Score> simulate(const Task& task, const Population& population, std::uint64_t n,
                                   const std::vector<std::string>& texts, std::size_t runs = kRuns) {
  const std::vector<std::uint64_t> people = population.people(n);
  std::vector<compiler::LinearQuery> queries;
  std::vector<Score> scores;
  for (const std::string& text : texts) {
    queries.push_back(compile_query(task, Query::parse(task.schema(), text).value()));
    scores.emplace_back(true_fraction(task, text, population, people));
  }
  TallySimulator simulator(task, population.cells);
  FastRandom random(population.name + " " + task.epsilon().to_string() + " " + std::to_string(n));
  for (std::size_t run = 0; run < runs; ++run) {
    const auto estimator = estimator::Estimator::create(task, simulator.draw(people, random)).value();
    for (std::size_t q = 0; q < texts.size(); ++q) scores[q].add(estimator.estimate(queries[q], 0.95).value());
  }
  return scores;
}

// Returns a number of reports for a constant population. With this number, each of `coordinates` coordinates expects
// at least 1,700 of its rarer answer. For one bit the rarer answer has the share (1-γ)/2 = 1/(e^ε+1).
inline std::uint64_t enough_reports(const std::string& epsilon, double coordinates) {
  return static_cast<std::uint64_t>(std::max(20'000.0, coordinates * 1750 * (std::exp(std::stod(epsilon)) + 1)));
}

}  // namespace hearsay::tests
