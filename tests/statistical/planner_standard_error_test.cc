// Compares the planner's standard errors, for planned singles and groups, with the estimates of simulated reporters.
//
// People are uniform over 4 booleans and drawn anew in every run. The target is the reporters' own fraction ω. So
// ReportVariance::average, minus the variance ω(1-ω) of drawing people, is exact for this population.
//
// 24,000 runs of 1,000 reporters give the standard deviation with a relative standard error of 1/√48,000 = 0.46 %. The
// number of reports of each group varies from run to run, which raises the deviation by about 0.3 %. The test allows 3
// %. The remaining 2.7 % are 5.9 standard errors, a false alarm of 3e-9 for each case. If γ is 5 % off, the standard
// error is 5 % off, and the test fails.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/planner/group_weights.h"
#include "aggregator/planner/report_variance.h"
#include "aggregator/planner/workload.h"
#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::tests {
namespace {

constexpr int kAttributes = 4;
constexpr int kRuns = 24'000;
constexpr std::uint32_t kReporters = 1'000;

struct Asked {
  Query query;
  compiler::LinearQuery linear;
  double squares = 0;
};

std::vector<Asked> compile_all(const Task& task, const std::vector<const char*>& texts) {
  std::vector<Asked> asked;
  compiler::Work work;
  for (const char* text : texts) {
    const Query query = Query::parse(task.schema(), text).value();
    asked.push_back({query, compiler::compile(task, query, work).value().linear});
  }
  return asked;
}

void simulate_runs(const Task& task, std::vector<Asked>& asked, BitSource& bits) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  const std::vector<Record> universe = tests::all_records(task.schema());
  for (int run = 0; run < kRuns; ++run) {
    tally::SampledTally tally;
    std::vector<std::uint32_t> satisfied(asked.size(), 0);
    std::array<std::uint32_t, 1U << kAttributes> people{};
    for (std::uint32_t i = 0; i < kReporters; ++i) {
      const std::size_t who = bits.bits(kAttributes);
      ++people[who];
      const SampledChannel::Draw draw = channel.draw(bits);
      tally.add(draw.group, channel.answer(draw, universe[who]));
    }
    const estimator::Estimator estimator = estimator::Estimator::create(task, tally::Tally(std::move(tally))).value();
    for (Asked& question : asked) {
      double truth = 0;
      for (std::size_t who = 0; who < universe.size(); ++who) {
        truth += question.query.evaluate(universe[who]) ? people[who] : 0;
      }
      question.squares += std::pow(estimator.estimate(question.linear, 0.95)->value - truth / kReporters, 2);
    }
  }
}

TEST_CASE("predicted standard errors are within 3 % of simulated ones") {
  struct Case {
    const char* epsilon;
    planner::GroupChoice choice;
  };
  for (const Case& c : {Case{"1", planner::GroupChoice::kAll}, Case{"4", planner::GroupChoice::kSingles}}) {
    const std::string shape = tests::booleans(kAttributes);
    const Schema schema = tests::schema_of(shape);
    const auto planner =
        planner::GroupPlanner::create(schema, 2, Epsilon::parse(c.epsilon).value(),
                                      planner::representatives(planner::Conjunctions{2}, schema).value());
    const SampledSpec spec = planner->plan(c.choice, planner::SetChoice::kAll).value();
    const Task task = tests::task_over(shape, c.epsilon, CharactersSpec{2}, spec);
    tests::CounterBitSource bits(std::string("planned at ") + c.epsilon);
    std::vector<Asked> asked =
        compile_all(task, {"a0", "a1 and a2", "a3 or not a0", "(a0 and not a1) or (not a0 and a1)"});
    simulate_runs(task, asked, bits);
    for (const Asked& question : asked) {
      const std::string text = question.query.to_string(schema);
      CAPTURE(text);
      CAPTURE(c.epsilon);
      double omega = 0;
      for (const Record& record : tests::all_records(schema)) omega += question.query.evaluate(record) ? 1.0 / 16 : 0;
      const planner::ReportVariance variance = planner::report_variance(task, question.query, question.linear);
      const double predicted = std::sqrt((variance.average - omega * (1 - omega)) / kReporters);
      const double simulated = std::sqrt(question.squares / kRuns);
      CHECK(std::abs(simulated / predicted - 1) < 0.03);
      CHECK(simulated < 1.02 * std::sqrt(variance.worst_among_reporters / kReporters));
    }
  }
}

}  // namespace
}  // namespace hearsay::tests
