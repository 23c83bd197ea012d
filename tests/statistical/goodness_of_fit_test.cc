// Checks the p-values of both goodness-of-fit tests. On (f,ω,n)-random populations the p-values are uniform. On a
// table of other people the p-values are near 0.
//
// The test of uniformity is Kolmogorov–Smirnov, over 2,000 runs. A run has 200 reports (laplace), 1,500 reports (single
// literals) or 600 reports (groups of three). The statistic D satisfies Pr[D > x/√runs] <= 2·exp(-2x²) (Massart 1990).
// 3 channels × 4 ε × 3 queries × 2 tests = 72 comparisons share a false alarm of 1e-8. So x = 3.42, and D may be 0.076.
// The estimator adds one report to each variance, which raises p by up to 0.03. Planted: if the test on the query's
// own coordinates forgets the degree of freedom of ω̂, D is about 0.10 or more, which is above 0.076.
//
// For the table of people, p is below 1e-6 by many orders of magnitude.
#include "aggregator/estimator/fit/goodness_of_fit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/compiler/compile.h"
#include "aggregator/tails/distributions.h"
#include "aggregator/tally/tally.h"
#include "tests/statistical/simulation.h"
#include "tests/support/census.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {
namespace {

constexpr std::size_t kRuns = 2000;
const double kLargestDistance = std::sqrt(std::log(2 / (1e-8 / 72)) / 2 / kRuns);

Task task_over(const Schema& schema, ChannelSpec channel, const std::string& epsilon) {
  return Task::create(TaskSpec{.title = "fit",
                               .schema = schema,
                               .arrangement = LiteralsSpec{},
                               .channel = std::move(channel),
                               .epsilon = Epsilon::parse(epsilon).value(),
                               .task_start = 0,
                               .task_duration = 86400,
                               .time_precision = 3600,
                               .min_batch_size = 1})
      .value();
}

ChannelSpec sampled_by(std::uint32_t group_size) { return SampledSpec{.groups = {}, .group_size = group_size}; }

tally::Tally tally_of(const Task& task, const std::vector<Record>& people, BitSource& bits) {
  if (const auto* channel = std::get_if<SampledChannel>(&task.channel().kind())) {
    tally::SampledTally tally;
    for (const Record& person : people) {
      const SampledChannel::Draw draw = channel->draw(bits);
      tally.add(draw.group, channel->answer(draw, person));
    }
    return tally::Tally(std::move(tally));
  }
  tally::LaplaceTally tally(laplace(task).coordinates());
  std::vector<std::int8_t> embedding(task.arrangement().dimension());
  std::vector<std::int32_t> y(embedding.size());
  for (const Record& person : people) {
    task.arrangement().encode(person, embedding);
    laplace(task).randomize(embedding, bits, y);
    tally.add(y);
  }
  return tally::Tally(std::move(tally));
}

// Returns `ones` uniform records that satisfy the query, and `zeros` uniform records that do not.
std::vector<Record> random_people(const Schema& schema, const Query& query, std::uint32_t zeros, std::uint32_t ones,
                                  PopulationRandom& random) {
  std::vector<Record> people;
  std::array<std::uint32_t, 2> wanted{zeros, ones};
  std::vector<std::uint32_t> values(schema.size());
  while (wanted[0] + wanted[1] > 0) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.below(schema[i].size());
    std::uint32_t& places = wanted[query.evaluate(values) ? 1 : 0];
    if (places == 0) continue;
    --places;
    people.push_back(Record::create(schema, values).value());
  }
  return people;
}

// Returns the largest distance between the distribution of the values and the uniform distribution on [0, 1].
double distance_from_uniform(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double largest = 0;
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max({largest, values[i] - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - values[i]});
  }
  return largest;
}

struct PValues {
  std::vector<double> all;
  std::vector<double> query;
  // Planted: the second test forgets the degree of freedom of ω̂.
  std::vector<double> forgetful;
};

PValues simulate(const Task& task, const Query& query, std::uint32_t zeros, std::uint32_t ones,
                 const std::string& key) {
  CounterBitSource bits(key);
  PopulationRandom random(bits.bits(64));
  compiler::Work work({}, {UINT64_MAX, UINT64_MAX});
  compiler::CompiledQuery compiled = compiler::compile(task, query, work).value();
  PValues result;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto people = random_people(task.schema(), query, zeros, ones, random);
    const estimator::GoodnessOfFit fit =
        estimator::goodness_of_fit(task, compiled, tally_of(task, people, bits), work).value();
    result.all.push_back(fit.all.p);
    result.query.push_back(fit.query.p);
    result.forgetful.push_back(
        tails::chi_square_upper_tail(fit.query.statistic, static_cast<double>(fit.query.degrees + 1)));
  }
  return result;
}

void check_uniform(const std::string& name, const ChannelSpec& channel, std::uint32_t reports) {
  // The first group of three holds all indicators of a categorical attribute, whose sum is constant.
  const Schema schema = schema_of("c3 b b r4 b b");
  const std::vector<std::pair<std::string, double>> cases{
      {"a1 and a2", 0.3}, {"a0 = v0 and a3 >= 0", 0.5}, {"at_least(2, a1, a4, a0 = v2, a3 >= 1)", 0.1}};
  for (const std::string epsilon : {"0.5", "1", "4", "8"}) {
    const Task task = task_over(schema, channel, epsilon);
    for (const auto& one : cases) {
      const auto& [text, fraction] = one;
      const std::string label = name + ", epsilon " + epsilon + ", " + text;
      const Query query = Query::parse(schema, text).value();
      const auto ones = static_cast<std::uint32_t>(fraction * reports);
      const PValues p = simulate(task, query, reports - ones, ones, label);
      CAPTURE(label);
      CHECK(distance_from_uniform(p.all) < kLargestDistance);
      CHECK(distance_from_uniform(p.query) < kLargestDistance);
      CHECK(distance_from_uniform(p.forgetful) > kLargestDistance);
    }
  }
}

TEST_CASE("p-values are uniform under the model: laplace") { check_uniform("laplace", LaplaceSpec{}, 200); }
TEST_CASE("p-values are uniform under the model: sampled, single literals") {
  check_uniform("single", sampled_by(1), 1500);
}
TEST_CASE("p-values are uniform under the model: sampled, groups of three") {
  check_uniform("three", sampled_by(3), 600);
}

TEST_CASE("a skewed table of people contradicts the assumption") {
  const Schema schema = census_schema();
  CounterBitSource bits("census");
  const std::vector<Record> people = census_rows(schema, kCensusRows, bits);
  compiler::Work work({}, {UINT64_MAX, UINT64_MAX});
  const std::vector<std::string> pairs{"b0 and not b1", "b0 and b2",     "b1 and b3",
                                       "b2 and not b3", "b1 and not b7", "b5 and b6"};
  for (const auto& [channel, epsilon] : std::vector<std::pair<ChannelSpec, std::string>>{
           {LaplaceSpec{}, "4"}, {sampled_by(1), "1"}, {sampled_by(3), "1"}}) {
    const Task task = task_over(schema, channel, epsilon);
    const tally::Tally tally = tally_of(task, people, bits);
    for (const std::string& text : pairs) {
      const Query query = Query::parse(schema, text).value();
      compiler::CompiledQuery compiled = compiler::compile(task, query, work).value();
      const estimator::GoodnessOfFit fit = estimator::goodness_of_fit(task, compiled, tally, work).value();
      CAPTURE(task.channel().kind().index());
      CAPTURE(text);
      CHECK(fit.query.p < 1e-6);
      CHECK(fit.all.p < 1e-6);
      CHECK(estimator::fit_warning(fit).has_value());
    }
  }
}

}  // namespace
}  // namespace hearsay::tests
