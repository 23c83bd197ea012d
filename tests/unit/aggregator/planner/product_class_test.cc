// Compares the worst query of a class with all queries of the class.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/function_bound.h"
#include "aggregator/planner/plan.h"
#include "aggregator/planner/report_variance.h"
#include "aggregator/planner/worst_query.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "tests/support/planned_tasks.h"

namespace hearsay::planner {
namespace {

using Function = std::vector<double>;

std::vector<Function> ranges(std::uint32_t values, bool prefixes) {
  std::vector<Function> list;
  for (std::uint32_t first = 0; first < values; ++first) {
    for (std::uint32_t end = first + 1; end <= values; ++end) {
      if (end - first == values || (prefixes && first > 0)) continue;
      Function range(values, 0.0);
      std::fill(range.begin() + first, range.begin() + end, 1.0);
      list.push_back(range);
    }
  }
  return list;
}

std::vector<Function> literals(const Attribute& attribute) {
  std::vector<Function> list;
  if (attribute.kind() == AttributeKind::kRange) {
    list = ranges(attribute.size(), true);
  } else {
    for (std::uint32_t v = 0; v < attribute.size(); ++v) {
      Function one(attribute.size(), 0.0);
      one[v] = 1;
      list.push_back(one);
    }
  }
  for (std::size_t i = list.size(); i-- > 0;) {
    Function other = list[i];
    for (double& value : other) value = 1 - value;
    list.push_back(other);
  }
  return list;
}

std::vector<Function> functions_of(const Workload& workload, const Attribute& attribute) {
  if (std::holds_alternative<Conjunctions>(workload)) return literals(attribute);
  if (std::holds_alternative<Means>(workload)) {
    Function mean(attribute.size());
    for (std::uint32_t x = 0; x < mean.size(); ++x) mean[x] = x / (mean.size() - 1.0);
    return {mean};
  }
  return ranges(attribute.size(), std::holds_alternative<Prefixes>(workload));
}

struct Largest {
  double worst = 0;
  double among = 0;
  double influence = 0;
  double average = 0;
};

// Goes through all products of functions of single attributes. A product has at most `most` functions, of attributes
// from `next` on.
void try_products(const Task& task, const Workload& workload, std::uint32_t most, std::uint32_t next,
                  compiler::ProductTerm& term, Largest& largest) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  if (!term.parts.empty()) {
    compiler::LinearQuery linear;
    linear.terms = {term};
    const ReportVariance variance = report_variance(task, Query(query::Membership{0, {{0, 0}}}), linear);
    CHECK(variance.exact);
    largest = {std::max(largest.worst, variance.worst), std::max(largest.among, variance.worst_among_reporters),
               std::max(largest.influence, variance.influence), std::max(largest.average, variance.average)};
  }
  if (term.parts.size() == most) return;
  for (std::uint32_t i = next; i < task.schema().size(); ++i) {
    const compiler::QuestionLaw law(channel.questions(i));
    for (const Function& function : functions_of(workload, task.schema()[i])) {
      const auto solution = law.solve(function).value();
      term.parts.push_back({i, solution.mean, solution.weights, solution.energy});
      try_products(task, workload, most, i + 1, term, largest);
      term.parts.pop_back();
    }
  }
}

struct Case {
  std::string shape;
  std::vector<GroupWeight> groups;
  std::vector<QuestionSpec> questions;
  Workload workload;
};

std::vector<Case> cases() {
  const GroupWeight one{GroupKind::kSingle, 1, 2};
  const GroupWeight two{GroupKind::kSingle, 2, 3};
  const GroupWeight pairs{GroupKind::kRaw, 2, 3};
  const GroupWeight whole{GroupKind::kRaw, 1, 2};
  const CircleQuestions half7{7, 1, {1, 2, 3}, {5, 2, 1}};
  const CircleQuestions half10{10, 1, {1, 3, 5}, {5, 2, 1}};
  const CircleQuestions arcs8{8, 2, {1, 2, 3, 4}, {5, 2, 1, 2}};
  const CircleQuestions arcs11{11, 2, {1, 2, 3, 4}, {5, 2, 1, 2}};
  const LevelQuestions levels{{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {1, 2, 4, 3}};
  return {{"r7", {one}, {half7}, Ranges{}},
          {"r5", {one}, {half10}, Ranges{}},
          {"r5", {one}, {half10}, Prefixes{}},
          {"r6", {one}, {CircleQuestions{10, 1, {1}, {1}}}, Means{}},
          {"r8", {whole}, {arcs8}, Ranges{}},
          {"r6", {whole}, {arcs11}, Ranges{}},
          {"r6", {whole}, {arcs11}, Means{}},
          {"r16", {whole}, {levels}, Ranges{}},
          {"r11", {whole}, {levels}, Ranges{}},
          {"r7", {whole}, {ParityQuestions{2}}, Ranges{}},
          {"r7 r5 r7", {one, two}, {half7, half10, half7}, Boxes{2}},
          {"r7 r5", {one, pairs}, {half7, half10}, Boxes{2}},
          {"r8 r4", {pairs}, {arcs8, CircleQuestions{4, 2, {1, 2}, {2, 1}}}, Boxes{2}},
          {"r9 r4", {pairs}, {levels, LevelQuestions{{{0, 1}}, {1}}}, Boxes{2}},
          {"c5 b r4",
           {pairs, one},
           {ParityQuestions{1}, ParityQuestions{1}, CircleQuestions{8, 1, {1, 3}, {2, 1}}},
           Conjunctions{2}},
          {"c5 c4", {{GroupKind::kRaw, 2, 1}}, {ParityQuestions{2}, ParityQuestions{2}}, Conjunctions{2}}};
}

TEST_CASE("the worst query of a class is the worst of all its queries") {
  for (const Case& c : cases()) {
    for (const char* epsilon : {"1", "4"}) {
      CAPTURE(c.shape);
      CAPTURE(c.questions.front().index());
      CAPTURE(epsilon);
      CAPTURE(describe(c.workload));
      const std::uint32_t most = order_of(c.workload);
      const Task task = tests::task_over(c.shape, epsilon, CharactersSpec{most},
                                         SampledSpec{.groups = c.groups, .group_size = 0, .questions = c.questions});
      const WorstQuery stated = worst_query(task, c.workload, {}).value();
      compiler::ProductTerm term;
      Largest largest;
      try_products(task, c.workload, most, 0, term, largest);
      CHECK(stated.variance.worst == doctest::Approx(largest.worst).epsilon(2e-4));
      CHECK(stated.variance.worst_among_reporters == doctest::Approx(largest.among).epsilon(2e-4));
      CHECK(stated.variance.influence >= largest.influence * (1 - 1e-9));
      CHECK(stated.variance.average >= largest.average * (1 - 1e-9));
      CHECK(stated.variance.exact);
    }
  }
}

TEST_CASE("if a task asks only parities, the worst cost of a class is an upper bound") {
  const std::vector<GroupWeight> groups{{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 2}};
  const Task task = tests::task_over("r8 r5", "1", CharactersSpec{2}, SampledSpec{.groups = groups});
  for (const Workload& workload : {Workload(Ranges{}), Workload(Boxes{2})}) {
    const WorstQuery stated = worst_query(task, workload, {}).value();
    CHECK_FALSE(stated.variance.exact);
    double worst = 0;
    for (const Result<PlannedQuery>& line :
         plan(task, representatives(workload, task.schema()).value(), {0.05, 0.05})) {
      CHECK(line->variance.worst <= stated.variance.worst * (1 + 1e-9));
      CHECK(line->variance.worst_among_reporters <= stated.variance.worst_among_reporters * (1 + 1e-9));
      worst = std::max(worst, line->variance.worst);
    }
    CHECK(worst > 0.7 * stated.variance.worst);
  }
}

// Returns a query for each set of records, except the empty set and the full set.
std::vector<Query> all_functions(const Schema& schema) {
  const std::vector<Record> cells = tests::all_records(schema);
  std::vector<Query> list;
  for (std::uint32_t set = 1; set + 1 < 1U << cells.size(); ++set) {
    std::vector<Query> in_set;
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      if ((set >> cell & 1U) == 0) continue;
      std::vector<Query> values;
      for (std::uint32_t i = 0; i < schema.size(); ++i) {
        values.emplace_back(query::Membership{i, {{cells[cell][i], cells[cell][i]}}});
      }
      in_set.push_back(values.size() == 1 ? values.front() : Query(query::And{values}));
    }
    list.push_back(in_set.size() == 1 ? in_set.front() : Query(query::Or{in_set}));
  }
  return list;
}

TEST_CASE("if a task asks other questions, no function exceeds the bound for all functions") {
  struct FunctionCase {
    std::string shape;
    std::vector<GroupWeight> groups;
    std::vector<QuestionSpec> questions;
    double slack;  // the allowed ratio of the bound to the worst query
  };
  const GroupWeight one{GroupKind::kSingle, 1, 2};
  const GroupWeight whole{GroupKind::kRaw, 1, 2};
  const std::vector<FunctionCase> list{
      {"r6", {one}, {CircleQuestions{6, 1, {1, 2, 3}, {3, 2, 1}}}, 1.3},
      {"r5", {one}, {CircleQuestions{8, 1, {1, 2, 3, 4}, {3, 2, 1, 1}}}, 2},
      {"r4", {whole}, {LevelQuestions{{{0, 1}}, {1}}}, 5},
      {"r4 b", {one, {GroupKind::kRaw, 2, 1}}, {CircleQuestions{4, 1, {1, 2}, {3, 2}}, ParityQuestions{1}}, 2}};
  for (const FunctionCase& c : list) {
    CAPTURE(c.shape);
    const auto order = static_cast<std::uint32_t>(tests::schema_of(c.shape).size());
    const Task task = tests::task_over(c.shape, "1", CharactersSpec{order},
                                       SampledSpec{.groups = c.groups, .group_size = 0, .questions = c.questions});
    std::vector<std::uint32_t> attributes(order);
    for (std::uint32_t i = 0; i < attributes.size(); ++i) attributes[i] = i;
    const ReportVariance bound = function_bound(task, attributes).value();
    double worst = 0;
    double among = 0;
    for (const Query& query : all_functions(task.schema())) {
      compiler::Work work;
      const auto linear = compiler::compile(task, query, work).value().linear;
      const ReportVariance variance = report_variance(task, query, linear);
      worst = std::max(worst, variance.worst);
      among = std::max(among, variance.worst_among_reporters);
      CHECK(variance.average <= bound.average * (1 + 1e-9));
      CHECK(variance.influence <= bound.influence * (1 + 1e-9));
    }
    CHECK(worst <= bound.worst * (1 + 1e-9));
    CHECK(bound.worst <= c.slack * worst);
    CHECK_FALSE(bound.exact);
    const WorstQuery stated = worst_query(task, Functions{order}, {}).value();
    CHECK(stated.variance.worst == doctest::Approx(worst).epsilon(2e-4));
    CHECK(stated.variance.worst_among_reporters == doctest::Approx(among).epsilon(2e-4));
    CHECK(stated.variance.exact);
  }
}

TEST_CASE("a mixture multiplies the variances of its parts by the parts' weights") {
  const Task task = tests::task_over("r7 r5", "1", CharactersSpec{1},
                                     SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}},
                                                 .group_size = 0,
                                                 .questions = {CircleQuestions{7, 1, {1, 2, 3}, {5, 2, 1}},
                                                               CircleQuestions{8, 1, {1, 2, 3, 4}, {9, 2, 1, 1}}}});
  const ReportVariance of_ranges = worst_query(task, Ranges{}, {}).value().variance;
  const ReportVariance of_means = worst_query(task, Means{}, {}).value().variance;
  REQUIRE(of_means.worst < of_ranges.worst);
  const Workload even = Mixture{{{Ranges{}, 1}, {Means{}, 1}}};
  CHECK(worst_query(task, even, {}).value().variance.worst == doctest::Approx(of_ranges.worst));
  const double weight = 2 * of_ranges.worst / of_means.worst;
  const WorstQuery of_both = worst_query(task, Mixture{{{Ranges{}, 1}, {Means{}, weight}}}, {}).value();
  CHECK(of_both.variance.worst == doctest::Approx(2 * of_ranges.worst));
  CHECK(of_both.query.find("mean") != std::string::npos);
}

}  // namespace
}  // namespace hearsay::planner
