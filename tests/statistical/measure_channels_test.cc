// Checks measures on every channel: their bias and standard error, over runs in which the same people report anew.
//
// Thresholds, for 40 rows and a false alarm of 1e-9 for each check:
// - |bias| is at most normal_threshold(1e-9) = 6.1 standard errors of the mean over the runs. The bias of ratios is not
//   checked.
// - The mean stated variance is within 6.1·√(2/1000) = 27 % of the variance over 1,000 runs. Ratios are allowed 30 %,
//   because their stated variance is a first-order approximation.
//
// Detected: a stated variance that counts the people's own variance as an error. For differences and for shares within
// a group it would be 43 % to 48 % too large.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/estimator/estimate.h"
#include "aggregator/measures/questions.h"
#include "common/task/coarsening.h"
#include "tests/support/bit_sources.h"
#include "tests/support/cut_tasks.h"
#include "tests/support/explicit_tasks.h"
#include "tests/support/planned_tasks.h"
#include "tests/support/question_cases.h"
#include "tests/support/small_domains.h"
#include "tests/support/statistics.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::tests {
namespace {

constexpr std::size_t kPeople = 600;
constexpr std::size_t kRuns = 1000;
constexpr double kFalseAlarm = 1e-9;

using Number = std::function<double(const Record&)>;

struct Asked {
  std::string text;
  Number top;
  Number bottom;  // if present, the measure is the mean of `top` divided by the mean of `bottom`
};

// Four of five people have a0 = a1. More than half of the people have the greatest a2.
std::vector<Record> people_of(const Schema& schema) {
  std::vector<Record> people;
  for (std::uint32_t i = 0; i < kPeople; ++i) {
    const std::uint32_t first = i % 2;
    const std::uint32_t second = i % 5 == 0 ? 1 - first : first;
    const std::uint32_t last = schema[2].size() - 1;
    people.push_back(Record::create(schema, {first, second, i / 2 % 2 == 0 ? last : i % (last + 1)}).value());
  }
  return people;
}

double number(const Schema& schema, const Record& record, std::size_t attribute) {
  const bool is_boolean = schema[attribute].size() == 2;
  return record[attribute] + (is_boolean ? 0 : static_cast<double>(schema[attribute].min()));
}

struct Row {
  double truth;
  double sum = 0;
  double squares = 0;
  double variances = 0;
};

double mean(const std::vector<Record>& people, const Number& of) {
  double sum = 0;
  for (const Record& person : people) sum += of(person);
  return sum / static_cast<double>(people.size());
}

void check_row(const Row& row, const Asked& asked) {
  const double bias = row.sum / kRuns;
  const double variance = row.squares / kRuns - bias * bias;
  const double ratio = row.variances / kRuns / variance;
  CAPTURE(asked.text);
  CAPTURE(bias);
  CAPTURE(ratio);
  const double z = normal_threshold(kFalseAlarm);
  if (!asked.bottom) CHECK(std::abs(bias) <= z * std::sqrt(variance / kRuns));
  CHECK(std::abs(ratio - 1) <= (asked.bottom ? 0.3 : z * std::sqrt(2.0 / kRuns)));
}

void check(const Task& task, const std::vector<Asked>& all) {
  CAPTURE(task.spec().title);
  const std::vector<Record> people = people_of(task.schema());
  std::vector<measures::Question> questions;
  std::vector<Row> rows;
  for (const Asked& asked : all) {
    compiler::Work work;
    const auto measure = measures::parse(task.schema(), asked.text);
    REQUIRE(measure);
    const auto asked_questions = measures::questions(task, *measure, work);
    INFO(asked.text << ": " << (asked_questions ? "" : asked_questions.error().message));
    REQUIRE(asked_questions);
    questions.push_back(asked_questions->front());
    rows.push_back({mean(people, asked.top) / (asked.bottom ? mean(people, asked.bottom) : 1)});
  }
  std::vector<Record> embedded;  // the cells of the records, if the task has cuts
  for (const Record& person : people) {
    embedded.push_back(task.coarsening() == nullptr ? person : task.coarsening()->coarse(person));
  }
  CounterBitSource bits(task.spec().title);
  for (std::size_t run = 0; run < kRuns; ++run) {
    tally::Tally tally = tally::Tally::empty(task.channel());
    for (const Record& person : embedded) {
      if (!tally.add(task.channel(), task.channel().randomize(task.arrangement(), person, bits))) FAIL("refused");
    }
    const auto estimator = estimator::Estimator::create(task, tally).value();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto answer = questions[i].evaluate(estimator, 0.95);
      INFO(all[i].text << ": " << (answer ? "" : answer.error().message));
      REQUIRE(answer);
      const double error = answer->value - rows[i].truth;
      rows[i].sum += error;
      rows[i].squares += error * error;
      rows[i].variances += answer->standard_error * answer->standard_error;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) check_row(rows[i], all[i]);
}

std::vector<Asked> linear_measures(const Task& task) {
  const Schema schema = task.schema();
  return {{"a1", [](const Record& r) { return r[1]; }, {}},
          {"mean(a2)", [=](const Record& r) { return number(schema, r, 2); }, {}},
          {"difference(a0, a1)", [](const Record& r) { return double(r[0]) - r[1]; }, {}},
          {"mean(a2 + a1)", [=](const Record& r) { return number(schema, r, 2) + r[1]; }, {}}};
}

std::vector<Asked> all_measures(const Task& task) {
  std::vector<Asked> all = linear_measures(task);
  const Schema schema = task.schema();
  all.push_back(
      {"a1 among a0", [](const Record& r) { return double(r[0] * r[1]); }, [](const Record& r) { return r[0]; }});
  all.push_back({"mean(a2) among a0", [=](const Record& r) { return r[0] * number(schema, r, 2); },
                 [](const Record& r) { return r[0]; }});
  return all;
}

TEST_CASE("measures are right for characters, asked one by one and several at once") {
  using enum GroupKind;
  const Task single = task_over("b b r5", "4", CharactersSpec{2}, SampledSpec{{{kSingle, 1, 1}, {kSingle, 2, 3}}});
  check(single, all_measures(single));
  const Task raw = task_over("b b r5", "4", CharactersSpec{2}, SampledSpec{{{kRaw, 2, 1}}});
  check(raw, all_measures(raw));
}

TEST_CASE("measures are right for discrete Laplace noise, on characters and on literals") {
  const Task characters = task_over("b b r5", "12", CharactersSpec{2}, LaplaceSpec{});
  check(characters, all_measures(characters));
  const Task literals = task_over("b b r5", "2", LiteralsSpec{}, LaplaceSpec{});
  check(literals, linear_measures(literals));
}

TEST_CASE("measures are right for questions about arcs") {
  const CircleQuestions five{.places = 5, .bits = 1, .multipliers = {1, 2}, .weights = {3, 1}};
  const Task task = question_case("4", "b b r5", {{GroupKind::kRaw, 2, 1}, {GroupKind::kSingle, 1, 1}},
                                  {ParityQuestions{}, ParityQuestions{}, five})
                        .task();
  check(task, all_measures(task));
}

TEST_CASE("measures are right for an optimised matrix, explicit vectors and cells of values") {
  const Task strategy = strategy_task("b b r5", response_matrix(20));
  check(strategy, linear_measures(strategy));
  const Task vectors = Task::create(explicit_spec("b b b", weighted_bits(), "3")).value();
  check(vectors, linear_measures(vectors));
  const Task cells = Task::create(cut_spec()).value();
  check(cells, {{"a0", [](const Record& r) { return double(r[0]); }, {}},
                {"a2 <= -2", [](const Record& r) { return r[2] == 0 ? 1.0 : 0.0; }, {}},
                {"difference(a0, a2 <= -2)", [](const Record& r) { return double(r[0]) - (r[2] == 0 ? 1 : 0); }, {}},
                {"a2 <= -1 by a0", [](const Record& r) { return r[0] == 0 && r[2] <= 1 ? 1 : 0; },
                 [](const Record& r) { return r[0] == 0 ? 1 : 0; }}});
}

}  // namespace
}  // namespace hearsay::tests
