// Compares measures with the truth in many runs: bias, standard errors, and how often each interval covers.
//
// Each population has HEARSAY_MEASURE_RUNS runs (1,000 by default, 24,000 in tests/run_long.sh). A run is a tally of
// 4,000 people. Each check has a false alarm of at most 1e-9:
// - The test fails if the normal interval covers so rarely that a true coverage of 94 % does not explain it. For the
//   guaranteed interval, the test uses 95 % in place of 94 %.
// - For measures that are neither a median nor among a group, |bias| is at most normal_threshold(1e-9) standard errors
//   of the mean over the runs. For these measures the test also fails if the normal interval covers so often that a
//   true coverage of 96 % does not explain it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "aggregator/measures/questions.h"
#include "tests/support/planned_tasks.h"
#include "tests/support/small_domains.h"
#include "tests/support/statistics.h"
#include "tests/support/tally_simulator.h"

namespace hearsay::tests {
namespace {

constexpr double kPeople = 4000;
constexpr double kFalseAlarm = 1e-9;

std::uint64_t runs() {
  const char* text = std::getenv("HEARSAY_MEASURE_RUNS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1000;
}

// a0 and a1 are booleans. a2 is an integer from -2 to 2.
Task simulated_task() {
  using enum GroupKind;
  return task_over("b b r5", "2", CharactersSpec{3}, groups_of({{kSingle, 1, 1}, {kRaw, 3, 4}}));
}

struct Population {
  std::string name;
  double women;                 // Pr[a0]
  double admitted[2];           // Pr[a1 | a0]
  std::vector<double> numbers;  // Pr[a2 = i - 2 | a0]; reversed for people without a0
};

std::vector<std::uint64_t> people_of(const std::vector<Record>& records, const Population& population) {
  std::vector<std::uint64_t> people;
  for (const Record& record : records) {
    const double of_women = record[0] == 1 ? population.women : 1 - population.women;
    const double of_admitted = population.admitted[record[0]];
    const double share = of_women * (record[1] == 1 ? of_admitted : 1 - of_admitted) *
                         population.numbers[record[0] == 1 ? record[2] : 4 - record[2]];
    people.push_back(static_cast<std::uint64_t>(std::lround(kPeople * share)));
  }
  return people;
}

class Truth {
 public:
  Truth(const std::vector<Record>& records, const std::vector<std::uint64_t>& people)
      : records_(records), people_(people) {}

  template <class F>
  double sum(F&& f) const {
    double total = 0;
    for (std::size_t i = 0; i < records_.size(); ++i) total += static_cast<double>(people_[i]) * f(records_[i]);
    return total;
  }
  template <class F, class W>
  double mean(F&& f, W&& weight) const {
    return sum([&](const Record& r) { return f(r) * weight(r); }) / sum(weight);
  }

 private:
  const std::vector<Record>& records_;
  const std::vector<std::uint64_t>& people_;
};

double one(const Record&) { return 1; }
double woman(const Record& r) { return r[0]; }
double man(const Record& r) { return 1 - woman(r); }
double admitted(const Record& r) { return r[1]; }
double number(const Record& r) { return static_cast<double>(r[2]) - 2; }

double quantile(const Truth& truth, double level) {
  for (double k = -2; k < 2; ++k) {
    if (truth.mean([&](const Record& r) { return number(r) <= k ? 1.0 : 0.0; }, one) >= level) return k;
  }
  return 2;
}

struct Case {
  std::string text;
  double truth;
  bool exact;  // the measure is neither a median nor among a group
};

std::vector<Case> cases_of(const Truth& truth) {
  const double of_women = truth.mean(admitted, woman);
  const double of_men = truth.mean(admitted, man);
  return {{"a1", truth.mean(admitted, one), true},
          {"mean(a2)", truth.mean(number, one), true},
          {"difference(a0, a1)", truth.mean(woman, one) - truth.mean(admitted, one), true},
          {"mean(a2 + a1)", truth.mean(number, one) + truth.mean(admitted, one), true},
          {"a1 among a0", of_women, false},
          {"mean(a2) among a0", truth.mean(number, woman), false},
          {"difference(a1 among a0, a1 among not a0)", of_women - of_men, false},
          {"median(a2)", quantile(truth, 0.5), false}};
}

struct Counts {
  double normal = 0;
  double guaranteed = 0;
  double warned = 0;  // the number of runs with a warning about a small denominator or few reports
  double sum = 0;
  double squares = 0;
  double variances = 0;
};

bool covers(const measures::Interval& interval, double truth) {
  return interval.low <= truth + 1e-9 && interval.high >= truth - 1e-9;
}

void add(const measures::Answer& answer, double truth, Counts& counts) {
  counts.normal += covers(answer.normal, truth) ? 1 : 0;
  counts.guaranteed += covers(answer.guaranteed, truth) ? 1 : 0;
  counts.warned += std::any_of(answer.warnings.begin(), answer.warnings.end(), [](const std::string& text) {
    return text.starts_with("too small a denominator") || text.starts_with("few reports");
  });
  counts.sum += answer.value - truth;
  counts.squares += (answer.value - truth) * (answer.value - truth);
  counts.variances += answer.standard_error * answer.standard_error;
}

void check(const Case& c, const Counts& counts, std::uint64_t n) {
  const auto runs = static_cast<double>(n);
  const double bias = counts.sum / runs;
  const double variance = counts.squares / runs - bias * bias;
  CAPTURE(c.text);
  CAPTURE(bias);
  CAPTURE(counts.normal / runs);
  CAPTURE(counts.guaranteed / runs);
  CAPTURE(counts.warned / runs);
  CAPTURE(counts.variances / runs / variance);
  if (std::isnan(c.truth)) {  // the group is empty, so every answer must warn about the denominator
    CHECK(counts.warned == runs);
    return;
  }
  CHECK(counts.normal >= binomial_band(n, 0.94, kFalseAlarm).low);
  CHECK(counts.guaranteed >= binomial_band(n, 0.95, kFalseAlarm).low);
  if (!c.exact) return;
  CHECK(std::abs(bias) <= normal_threshold(kFalseAlarm) * std::sqrt(variance / runs));
  CHECK(counts.normal <= binomial_band(n, 0.96, kFalseAlarm).high);
}

void simulate(const Population& population) {
  CAPTURE(population.name);
  const Task task = simulated_task();
  const std::vector<Record> records = all_records(task.schema());
  const std::vector<std::uint64_t> people = people_of(records, population);
  const std::vector<Case> cases = cases_of(Truth(records, people));
  std::vector<measures::Question> questions;
  for (const Case& c : cases) {
    compiler::Work work;
    questions.push_back(
        measures::questions(task, measures::parse(task.schema(), c.text).value(), work).value().front());
  }
  FastRandom random("measures " + population.name);
  TallySimulator simulator(task, records);
  std::vector<Counts> counts(cases.size());
  for (std::uint64_t run = 0; run < runs(); ++run) {
    const auto estimator = estimator::Estimator::create(task, simulator.draw(people, random)).value();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto answer = questions[i].evaluate(estimator, 0.95);
      REQUIRE(answer);
      add(*answer, cases[i].truth, counts[i]);
    }
  }
  for (std::size_t i = 0; i < cases.size(); ++i) check(cases[i], counts[i], runs());
}

TEST_CASE("measures cover on even, skewed, one-sided, constant and bimodal populations") {
  simulate({"even", 0.5, {0.5, 0.5}, {0.2, 0.2, 0.2, 0.2, 0.2}});
  simulate({"skewed", 0.3, {0.4, 0.1}, {0.6, 0.2, 0.1, 0.05, 0.05}});
  simulate({"rare", 0.05, {0.3, 0.5}, {0.1, 0.2, 0.4, 0.2, 0.1}});
  simulate({"one-sided", 0.5, {0, 1}, {0, 0, 0, 0, 1}});
  simulate({"constant", 1, {0.01, 0.01}, {0, 0, 1, 0, 0}});
  simulate({"bimodal", 0.5, {0.5, 0.01}, {0.5, 0, 0, 0, 0.5}});
}

}  // namespace
}  // namespace hearsay::tests
