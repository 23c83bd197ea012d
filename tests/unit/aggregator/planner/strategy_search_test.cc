// The search for a strategy takes at most twice the announced work, and ends soon after its budget or a request to
// stop. Work counts multiplications, so no clock decides.
#include <doctest/doctest.h>

#include <cmath>
#include <stop_token>
#include <string>
#include <vector>

#include "aggregator/planner/candidates.h"
#include "aggregator/planner/strategy_design.h"
#include "aggregator/planner/strategy_matrix.h"
#include "aggregator/planner/strategy_optimiser.h"
#include "aggregator/planner/strategy_outputs.h"
#include "tests/support/strategy_tasks.h"

namespace hearsay::planner {
namespace {

struct Search {
  ExplicitWorkload workload;
  StrategySets start;
  StrategyOptions options{.epsilon = 1, .most_outputs = 1024};
  std::vector<StrategyProgress> steps = {};

  double usual_work() const {
    return strategy_work(workload, start.sets.size() + 2 * static_cast<std::size_t>(workload.functions.rows()),
                         options.rounds);
  }
  StrategySets run() {
    options.progress = [this](const StrategyProgress& at) { steps.push_back(at); };
    return optimise_strategy(workload, start, options);
  }
};

Search search_for(const std::string& shape, const Workload& workload) {
  const TaskSpec base = tests::strategy_spec(shape, tests::response_matrix(2));
  Search search{explicit_workload(workload, base.schema).value(), {}};
  const std::vector<Candidate> others = candidates(base, workload, {0.01, 0.05}).value();
  for (const Candidate& other : others) {
    if (!other.task) continue;
    const StrategySets sets = outputs_of(*other.task, 1024);
    search.start.sets.insert(search.start.sets.end(), sets.sets.begin(), sets.sets.end());
    search.start.weights.insert(search.start.weights.end(), sets.weights.begin(), sets.weights.end());
  }
  return search;
}

bool is_strategy(const StrategySets& sets) { return bool(rounded_strategy(sets, Epsilon::parse("1").value())); }

// Returns the largest distance of a record's sum of probabilities from 1.
double missing(const StrategySets& sets) {
  double most = 0;
  for (std::size_t x = 0; x < sets.sets.front().size(); ++x) {
    double sum = 0;
    for (std::size_t k = 0; k < sets.sets.size(); ++k) sum += sets.weights[k] * (sets.sets[k][x] ? std::exp(1.0) : 1);
    most = std::max(most, std::abs(sum - 1));
  }
  return most;
}

// Queries of a low rank leave most directions without information, where numbers could overflow.
TEST_CASE("a search for pairs of 6 booleans ends with a strategy, after the announced steps") {
  Search search = search_for("b b b b b b", Conjunctions{2});
  const StrategySets found = search.run();
  CHECK(is_strategy(found));
  CHECK(missing(found) < 1e-8);
  REQUIRE_FALSE(search.steps.empty());
  double work = 0;
  for (std::size_t i = 0; i < search.steps.size(); ++i) {
    CHECK(search.steps[i].most_steps == 15 * search.options.rounds);
    CHECK(search.steps[i].step == static_cast<int>(i) + 1);
    CHECK(search.steps[i].work > work);
    work = search.steps[i].work;
  }
  CHECK(search.steps.back().step <= search.steps.back().most_steps);
  CHECK(work <= search.usual_work());
}

TEST_CASE("a search that goes to its last round takes the usual work, within a factor of 2") {
  for (const auto& [shape, workload] : {std::pair<std::string, Workload>{"r24", Ranges{}}, {"r32", Prefixes{}}}) {
    CAPTURE(shape);
    Search search = search_for(shape, workload);
    CHECK(is_strategy(search.run()));
    REQUIRE(search.steps.back().step == search.steps.back().most_steps);
    const double part = search.steps.back().work / search.usual_work();
    CHECK(part > 0.5);
    CHECK(part < 2);
  }
}

TEST_CASE("a search ends with a strategy one round after its budget or a request to stop") {
  Search whole = search_for("r24", Ranges{});
  whole.run();
  const double all = whole.steps.back().work;
  for (const double part : {0.0, 0.2}) {
    Search search = search_for("r24", Ranges{});
    search.options.most_work = part * all;
    const StrategySets found = search.run();
    CHECK(is_strategy(found));
    CHECK(missing(found) < 1e-8);
    int beyond = 0;
    for (const StrategyProgress& step : search.steps) beyond += step.work >= part * all ? 1 : 0;
    CHECK(beyond <= 16);  // the step that reached the budget, and the 15 steps of the last round
    CHECK(search.steps.back().work < all);
  }
  Search search = search_for("r24", Ranges{});
  std::stop_source stop;
  search.options.stop = stop.get_token();
  search.options.most_outputs = 100;  // fewer outputs than at the start, so the last round chooses among them
  REQUIRE(search.start.sets.size() > 100);
  stop.request_stop();
  const StrategySets found = search.run();
  CHECK(search.steps.size() <= 15);
  CHECK(found.sets.size() <= 100);
  CHECK(is_strategy(found));
}

TEST_CASE("a strategy whose search is stopped at once is as good as the other mechanisms") {
  const TaskSpec base = tests::strategy_spec("r12", tests::response_matrix(2));
  const std::vector<Candidate> others = candidates(base, Ranges{}, {0.01, 0.05}).value();
  std::vector<std::string> lines;
  const Candidate made = strategy_candidate(
                             base, Ranges{}, {0.01, 0.05}, others,
                             [&lines](const std::string& line) { lines.push_back(line); }, [] { return true; })
                             .value();
  CHECK(made.plan->limit_ratio <= others.front().plan->limit_ratio * (1 + 1e-4));
  for (const std::string& line : lines) CHECK(line.find("step ") == std::string::npos);
}

}  // namespace
}  // namespace hearsay::planner
