// Measures the cost of compiling a query to its linear form. The baseline, evaluate_cells, evaluates the same query
// once for every combination of values of the query's attributes. A compiler that does not use the query's form must
// evaluate as many combinations.

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay {
namespace {

Schema ranges(std::size_t count, std::uint32_t size) {
  std::vector<Attribute> attributes;
  for (std::size_t i = 0; i < count; ++i) {
    attributes.push_back(size == 2 ? Attribute::boolean("a" + std::to_string(i)).value()
                                   : Attribute::range("a" + std::to_string(i), 0, size - 1).value());
  }
  return Schema::create(std::move(attributes)).value();
}

Task task_of(const Schema& schema, ArrangementSpec arrangement, std::vector<QuestionSpec> questions = {}) {
  const bool literals = std::holds_alternative<LiteralsSpec>(arrangement);
  const ChannelSpec sampled = SampledSpec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 4}},
                                          .questions = std::move(questions)};
  return Task::create({.title = "bench",
                       .schema = schema,
                       .arrangement = arrangement,
                       .channel = literals ? ChannelSpec(LaplaceSpec{}) : sampled,
                       .epsilon = Epsilon::parse("1").value(),
                       .task_duration = 1,
                       .time_precision = 1})
      .value();
}

// Returns a task about two ranges of `size` values. The questions are half-circles with all multipliers.
Task circles(std::uint32_t size) {
  CircleQuestions circle{.places = size, .multipliers = {}, .weights = {}};
  for (std::uint32_t j = 1; j <= size / 2; ++j) {
    circle.multipliers.push_back(j);
    circle.weights.push_back(1 + size / j);
  }
  return task_of(ranges(2, size), CharactersSpec{2}, {circle, circle});
}

void compile(benchmark::State& state, const Task& task, const std::string& text) {
  const Query query = Query::parse(task.schema(), text).value();
  for (auto _ : state) {
    compiler::Work work;
    auto compiled = compiler::compile(task, query, work);
    if (!compiled) return state.SkipWithError(compiled.error().message.c_str());
    benchmark::DoNotOptimize(compiled);
  }
}

// The query must not touch attributes beyond the first `touched`.
void evaluate_cells(benchmark::State& state, const Schema& schema, const std::string& text, std::size_t touched) {
  const Query query = Query::parse(schema, text).value();
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (auto _ : state) {
    std::uint64_t satisfied = 0;
    std::size_t i = 0;
    do {
      satisfied += query.evaluate(values) ? 1 : 0;
      for (i = 0; i < touched; ++i) {
        if (++values[i] < schema[i].size()) break;
        values[i] = 0;
      }
    } while (i < touched);
    benchmark::DoNotOptimize(satisfied);
  }
}

const std::string kPair = "a0 and not a1";
const std::string kBox = "a0 in 10..40 and a1 in 30..90";
const std::string kSum = "a0 + a1 >= 60";
const std::string kClause = "a0 or a1 or a2 or a3 or a4 or a5 or a6 or a7 or a8 or a9 or a10 or a11";
const std::string kAnyPair = "(a0 and a1) or (a2 and a3) or (a4 and a5) or (a6 and a7) or (a8 and a9) or (a10 and a11)";

BENCHMARK_CAPTURE(compile, pair_on_characters, task_of(ranges(16, 2), CharactersSpec{2}), kPair);
BENCHMARK_CAPTURE(evaluate_cells, pair, ranges(16, 2), kPair, 2);
BENCHMARK_CAPTURE(compile, box_on_characters, task_of(ranges(14, 100), CharactersSpec{2}), kBox);
BENCHMARK_CAPTURE(evaluate_cells, box, ranges(14, 100), kBox, 2);
BENCHMARK_CAPTURE(compile, box_on_circles_of_128, circles(128), kBox);
BENCHMARK_CAPTURE(compile, box_on_circles_of_256, circles(256), kBox);
BENCHMARK_CAPTURE(compile, box_on_circles_of_1024, circles(1024), kBox);
BENCHMARK_CAPTURE(compile, sum_on_circles_of_64, circles(64), kSum);
BENCHMARK_CAPTURE(compile, clause_on_literals, task_of(ranges(16, 2), LiteralsSpec{}), kClause);
BENCHMARK_CAPTURE(evaluate_cells, clause, ranges(16, 2), kClause, 12);
BENCHMARK_CAPTURE(compile, any_query_on_literals, task_of(ranges(16, 2), LiteralsSpec{}), kAnyPair);
BENCHMARK_CAPTURE(evaluate_cells, any_query, ranges(16, 2), kAnyPair, 12);

}  // namespace
}  // namespace hearsay
