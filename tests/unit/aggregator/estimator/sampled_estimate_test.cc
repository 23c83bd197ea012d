// Compares the estimator for `sampled` with the enumeration of all reports of a few people, and with sums for many
// reports.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "aggregator/tally/tally.h"
#include "tests/unit/aggregator/estimator/sampled_law.h"

namespace hearsay::estimator {
namespace {

using namespace tests;  // NOLINT(google-build-using-namespace)

using enum GroupKind;

Task task_on(const std::string& shape, std::uint32_t order, std::vector<GroupWeight> groups,
             const std::string& epsilon) {
  return sampled_task({shape, shape, CharactersSpec{order}, groups_of(std::move(groups))}, epsilon);
}

double value_of(const Task& task, const compiler::LinearQuery& query,
                const std::vector<tally::SampledTally::Entry>& reports) {
  return estimate(task, query, sampled_tally_of(reports), 0.95).value().value;
}

// Visits every vector of answers with its probability. groups[i] is the group of reporter i.
template <class Visit>
void for_each_answers(const SampledLaw& law, const std::vector<Record>& people,
                      const std::vector<std::uint64_t>& groups, Visit&& visit) {
  std::vector<tally::SampledTally::Entry> reports;
  const auto step = [&](auto&& self, double probability) -> void {
    const std::size_t i = reports.size();
    if (i == people.size()) return visit(probability, reports);
    for (std::uint32_t k = 0; k < law.answers(groups[i]); ++k) {
      reports.push_back({groups[i], k, 1});
      self(self, probability * law.probability(groups[i], k, people[i]));
      reports.pop_back();
    }
  };
  step(step, 1.0);
}

struct Moments {
  double mean = 0;
  double square = 0;
  void add(double probability, double value) {
    mean += probability * value;
    square += probability * value * value;
  }
  double variance() const { return square - mean * mean; }
};

Moments enumerate(const Task& task, const compiler::LinearQuery& query, const SampledLaw& law,
                  std::vector<Record> people, const std::vector<std::uint64_t>& groups) {
  Moments moments;
  std::vector<std::size_t> order(people.size());
  std::iota(order.begin(), order.end(), 0);
  double permutations = 1;
  for (std::size_t i = 2; i <= people.size(); ++i) permutations *= static_cast<double>(i);
  do {
    std::vector<Record> arranged;
    for (const std::size_t i : order) arranged.push_back(people[i]);
    for_each_answers(law, arranged, groups, [&](double probability, const auto& reports) {
      moments.add(probability / permutations, value_of(task, query, reports));
    });
  } while (std::next_permutation(order.begin(), order.end()));
  return moments;
}

TEST_CASE("for four people with given groups the estimate is unbiased and has the stated variance") {
  // The classes are singles on one attribute (groups 0 and 1), singles on two (group 2) and raw on two (group 3).
  const Task task = task_on("b b", 2, {{kSingle, 1, 1}, {kSingle, 2, 1}, {kRaw, 2, 1}}, "2");
  const std::vector<Record> all = all_records(task.schema());
  const std::vector<std::vector<std::size_t>> populations = {
      {0, 0, 0, 0}, {3, 3, 3, 3}, {0, 3, 3, 0}, {0, 1, 2, 3}, {3, 1, 1, 3}};
  for (const std::vector<std::uint64_t>& groups :
       {std::vector<std::uint64_t>{0, 1, 2, 3}, {3, 3, 3, 3}, {0, 3, 1, 3}, {2, 0, 1, 1}}) {
    GroupCounts counts;
    for (const std::uint64_t group : groups) ++counts[group];
    for (const auto& population : populations) {
      std::vector<Record> people;
      for (const std::size_t cell : population) people.push_back(all[cell]);
      for (const char* text : {"a0", "a0 and not a1", "a0 or a1"}) {
        CAPTURE(text);
        const compiler::LinearQuery query = compile_text(task, text);
        const SampledLaw law(task, query, counts);
        const Moments moments = enumerate(task, query, law, people, groups);
        const double truth = fraction(task, text, people);
        CHECK(std::abs(moments.mean - truth) < 1e-12);
        CHECK(moments.variance() == doctest::Approx(law.variance(people, truth)).scale(0).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("if sets of coordinates are normalised as a whole, the estimate is unbiased over the random groups") {
  // a0 has 3 coordinates, and a1 has one. The three groups are raw on both attributes and equally likely. So few
  // reports ask about each coordinate of a0.
  const Task task = task_on("c3 b", 2, {{kRaw, 2, 1}}, "2");
  REQUIRE(sampled_of(task).groups() == 3);
  const std::vector<Record> all = all_records(task.schema());
  for (const auto& population : {std::vector<std::size_t>{0, 0, 0}, {5, 5, 5}, {0, 3, 4}, {1, 1, 2}}) {
    std::vector<Record> people;
    for (const std::size_t cell : population) people.push_back(all[cell]);
    for (const char* text : {"a0 = v1", "a0 = v0 and a1", "a0 in {v0, v2} or not a1"}) {
      CAPTURE(text);
      const compiler::LinearQuery query = compile_text(task, text);
      const SampledLaw law(task, query, {{0, 1}, {1, 1}, {2, 1}});
      double mean = 0;
      for (std::uint64_t draw = 0; draw < 27; ++draw) {
        for_each_answers(law, people, {draw % 3, draw / 3 % 3, draw / 9}, [&](double probability, const auto& reports) {
          mean += probability / 27 * value_of(task, query, reports);
        });
      }
      CHECK(std::abs(mean - fraction(task, text, people)) < 1e-12);
      // Planted: an estimator that divides each coordinate by the number of its own reports. A coordinate without
      // reports has the mean 0.
      if (population == std::vector<std::size_t>{0, 0, 0} && std::string(text) == "a0 = v1") {
        double planted = 0;
        for (std::uint64_t draw = 0; draw < 27; ++draw) {
          const std::vector<std::uint64_t> groups{draw % 3, draw / 3 % 3, draw / 9};
          GroupCounts counts;
          for (const std::uint64_t group : groups) ++counts[group];
          const SampledLaw own(task, query, counts);
          for_each_answers(own, people, groups, [&](double probability, const auto& reports) {
            double value = query.offset;
            for (const auto& report : reports) value += own.contribution(report.group, report.answer);
            planted += probability / 27 * value;
          });
        }
        CHECK(std::abs(planted - fraction(task, text, people)) > 0.01);
      }
    }
  }
}

TEST_CASE("for many reports, the stated standard error agrees with the formula") {
  const Task task = task_on("b c3 b", 2, {{kSingle, 1, 1}, {kSingle, 2, 1}, {kRaw, 2, 1}, {kEven, 3, 1}}, "3");
  const std::vector<Record> all = all_records(task.schema());
  GroupCounts counts;
  for (std::uint64_t group = 0; group < sampled_of(task).groups(); ++group)
    counts[group] = 40'000'000 + 9'000'000 * (group % 5);
  std::vector<std::vector<Record>> populations{
      {all[0]}, {all[11]}, all, {all[0], all[0], all[0], all[11]}, {all[1], all[4], all[10]}};
  for (const auto& people : populations) {
    for (const char* text : {"a0", "a1 = v2", "a0 and a1 = v0", "a2 or a1 in {v1, v2}", "not a0 and not a2"}) {
      CAPTURE(text);
      const compiler::LinearQuery query = compile_text(task, text);
      const SampledLaw law(task, query, counts);
      const tally::Tally tally = law.expected_tally(people);
      const double truth = fraction(task, text, people);
      const Estimate answer = estimate(task, query, tally, 0.95).value();
      // Rounding changes a count by a share of less than 1e-6.
      CHECK(std::abs(answer.value - truth) < 1e-6);
      CHECK(answer.standard_error == doctest::Approx(std::sqrt(law.variance(people, truth))).scale(0).epsilon(1e-5));
      CHECK(answer.guaranteed.high - answer.value > 1.959964 * answer.standard_error);
      CHECK(answer.warnings.empty());
    }
  }
}

TEST_CASE("if everybody draws one group, the standard error of a single coordinate agrees with its formula") {
  const Task task = task_on("b", 1, {{kSingle, 1, 1}}, "1");
  const double gamma = (std::exp(1.0) - 1) / (std::exp(1.0) + 1);
  const double n = 4000;
  const double mean = (1300.0 - 2700.0) / n / gamma;
  const Estimate answer =
      estimate(task, compile_text(task, "a0"), sampled_tally_of({{0, 0, 1300}, {0, 1, 2700}}), 0.95).value();
  CHECK(answer.value == doctest::Approx((1 - mean) / 2).epsilon(1e-12));
  // The variance of the mean is (1/γ²-1)/N, since everybody was asked. The value is (1 - mean)/2. The stated
  // standard error may differ from this by a share of 3/N.
  CHECK(answer.standard_error == doctest::Approx(std::sqrt((1 / gamma / gamma - 1) / n) / 2).scale(0).epsilon(3 / n));
  CHECK(answer.influence == doctest::Approx(1 / (gamma * n)).scale(0).epsilon(1e-12));
}

}  // namespace
}  // namespace hearsay::estimator
