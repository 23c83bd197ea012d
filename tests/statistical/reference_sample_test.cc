// Checks estimates with class means from a public sample. The people are correlated and skewed, so estimates with the
// uniform reference are biased. If the reporters resemble the sample, the intervals cover, and the goodness of fit has
// uniform p-values.
//
// Each of 2,000 runs draws a sample of 600 census-like people and 2,500 reporters afresh. So the sampling error of the
// class means varies like all other errors. 3 queries × 2 channels = 6 cells. The false alarm is 1e-8 for each check
// of a cell:
// - Coverage: the standard error of 95 % is 0.49 %, so the band is ±5.7 standard errors, or 2.8 %. The true coverage
//   differs from 95 % by less than 0.3 %, because an estimate is a ratio that contains the sampled class means.
//   Planted: if the sampling error is left out, coverage falls below 90 %.
// - Bias: at most 5.7 of its standard errors plus 0.1 standard deviations. The 0.1 standard deviations allow for the
//   bias of this ratio.
// - The guaranteed interval covers at least 95 %. Its true coverage is far above.
// - P-values: the distance from the uniform distribution is below √(ln(2/1e-8)/2/2000) = 0.069 (Massart 1990).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/fit/goodness_of_fit.h"
#include "aggregator/tally/tally.h"
#include "tests/statistical/simulation.h"
#include "tests/support/census.h"

namespace hearsay::tests {
namespace {

constexpr std::size_t kRuns = 2000;
constexpr std::size_t kSample = 600;
constexpr std::size_t kReporters = 2500;
constexpr double kThreshold = 5.7;

Task census_task(ChannelSpec channel) {
  return Task::create(TaskSpec{.title = "census",
                               .schema = census_schema(),
                               .arrangement = LiteralsSpec{},
                               .channel = std::move(channel),
                               .epsilon = Epsilon::parse("16").value(),
                               .task_start = 0,
                               .task_duration = 86400,
                               .time_precision = 3600})
      .value();
}

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

double fraction(const Query& query, const std::vector<Record>& people) {
  const auto holds = [&](const Record& person) { return query.evaluate(person); };
  return static_cast<double>(std::count_if(people.begin(), people.end(), holds)) / static_cast<double>(people.size());
}

struct Outcome {
  double covered = 0;
  double guaranteed = 0;
  double forgetful = 0;  // the share of runs in which an interval without the sampling error covers
  double errors = 0;
  double squares = 0;
  double uniform_errors = 0;
  std::vector<double> p;

  static bool holds(const estimator::Interval& interval, double truth) {
    return interval.low <= truth && truth <= interval.high;
  }

  void add(const Task& task, const Query& query, const std::vector<Record>& sample, const std::vector<Record>& people,
           const tally::Tally& tally) {
    compiler::Work work({}, {UINT64_MAX, UINT64_MAX});
    const double truth = fraction(query, people);
    const auto compile = [&](compiler::Reference reference) {
      return compiler::compile(task, query, work, reference).value();
    };
    compiler::CompiledQuery compiled = compile(sample);
    p.push_back(estimator::goodness_of_fit(task, compiled, tally, work).value().query.p);
    compiler::LinearQuery& linear = compiled.linear;
    const estimator::Estimate estimated = estimator::estimate(task, linear, tally, 0.95).value();
    covered += holds(estimated.normal, truth) ? 1 : 0;
    guaranteed += holds(estimated.guaranteed, truth) ? 1 : 0;
    errors += estimated.value - truth;
    squares += std::pow(estimated.value - truth, 2);
    linear.class_members = {0, 0};
    linear.class_mean_variance = {0, 0};
    forgetful += holds(estimator::estimate(task, linear, tally, 0.95).value().normal, truth) ? 1 : 0;
    uniform_errors += estimator::estimate(task, compile({}).linear, tally, 0.95).value().value - truth;
  }

  double bias() const { return errors / kRuns; }
  double deviation() const { return std::sqrt(squares / kRuns - bias() * bias()); }
  double distance_from_uniform() {
    std::sort(p.begin(), p.end());
    double largest = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      largest = std::max({largest, p[i] - static_cast<double>(i) / kRuns, static_cast<double>(i + 1) / kRuns - p[i]});
    }
    return largest;
  }
};

void check_channel(const Task& task, const std::string& key) {
  CounterBitSource bits(key);
  const std::vector<std::string> texts{"b2 and b3", "b0 and not b1", "at_least(2, b0, b2, b6)"};
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(Query::parse(task.schema(), text).value());
  std::vector<Outcome> outcomes(texts.size());
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::vector<Record> sample = census_rows(task.schema(), kSample, bits);
    const std::vector<Record> people = census_rows(task.schema(), kReporters, bits);
    const tally::Tally tally = tally_of(task, people, bits);
    for (std::size_t q = 0; q < texts.size(); ++q) outcomes[q].add(task, queries[q], sample, people, tally);
  }
  for (std::size_t q = 0; q < texts.size(); ++q) {
    Outcome& outcome = outcomes[q];
    const std::string& text = texts[q];
    CAPTURE(text);
    CHECK(std::abs(outcome.covered / kRuns - 0.95) < 0.028);
    CHECK(outcome.forgetful / kRuns < 0.9);
    CHECK(outcome.guaranteed / kRuns >= 0.95);
    CHECK(std::abs(outcome.bias()) < (kThreshold / std::sqrt(kRuns) + 0.1) * outcome.deviation());
    CHECK(std::abs(outcome.uniform_errors / kRuns) > 0.05);
    CHECK(outcome.distance_from_uniform() < 0.069);
  }
}

TEST_CASE("a sample of people like the reporters gives intervals that cover: laplace") {
  check_channel(census_task(LaplaceSpec{}), "laplace");
}
TEST_CASE("a sample of people like the reporters gives intervals that cover: sampled") {
  check_channel(census_task(SampledSpec{.groups = {}, .group_size = 2}), "sampled");
}

}  // namespace
}  // namespace hearsay::tests
