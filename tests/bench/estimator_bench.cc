// Measures the cost of answers from 200,000 reports of the channel `sampled`, on three schemas: 14 attributes of mixed
// sizes, with about 250,000 coordinates of order 2; 64 booleans; and two attributes of 64 or 256 values, asked about
// half-circles. The argument has another meaning for each schema. For the first schema, 0 stands for single coordinates
// and 1 for raw groups of 3 attributes. For the booleans, the argument is the size of the groups. For the third schema,
// the argument is the number of values of an attribute. The baseline, read_every_count, reads the tally once.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/estimator/estimate.h"
#include "aggregator/tally/sampled_tally.h"
#include "aggregator/tally/tally.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::tests {
namespace {

constexpr int kReports = 200'000;

struct Survey {
  Task task;
  tally::Tally tally;
};

Survey survey(const std::vector<std::uint32_t>& sizes, std::vector<GroupWeight> groups,
              std::vector<QuestionSpec> questions = {}) {
  std::vector<Attribute> attributes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    attributes.push_back(Attribute::range("a" + std::to_string(i), 0, sizes[i] - 1).value());
  }
  Task task = Task::create({.title = "bench",
                            .schema = Schema::create(std::move(attributes)).value(),
                            .arrangement = CharactersSpec{2},
                            .channel = SampledSpec{.groups = std::move(groups), .questions = std::move(questions)},
                            .epsilon = Epsilon::parse("1").value(),
                            .task_duration = 1,
                            .time_precision = 1})
                  .value();
  tally::Tally tally = tally::Tally::empty(task.channel());
  std::vector<std::uint32_t> values(sizes.size());
  for (std::uint32_t n = 0; n < kReports; ++n) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      values[i] = n * 7919 / (static_cast<std::uint32_t>(i) + 1) % sizes[i];
    const Record record = Record::create(task.schema(), values).value();
    (void)tally.add(task.channel(), task.channel().randomize(task.arrangement(), record, system_bit_source()));
  }
  return {std::move(task), std::move(tally)};
}

const Survey& mixed(bool raw) {
  static const std::vector<std::uint32_t> kSizes{85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2};
  static const Survey kSingles = survey(kSizes, {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 13}});
  static const Survey kRaw = survey(kSizes, {{GroupKind::kRaw, 3, 1}});
  return raw ? kRaw : kSingles;
}

void read_every_count(benchmark::State& state) {
  const Survey& of = mixed(state.range(0) != 0);
  const std::vector<tally::SampledTally::Entry> entries = std::get<tally::SampledTally>(of.tally.kind()).entries();
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const tally::SampledTally::Entry& entry : entries) sum += (entry.group ^ entry.answer) * entry.count;
    benchmark::DoNotOptimize(sum);
  }
  state.counters["counts"] = static_cast<double>(entries.size());
}
BENCHMARK(read_every_count)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void index_the_tally(benchmark::State& state) {
  const Survey& of = mixed(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(estimator::Estimator::create(of.task, of.tally));
}
BENCHMARK(index_the_tally)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// Measures compiling a query and its estimate. The index of the tally is built before the clock starts.
void box_on_two_attributes(benchmark::State& state) {
  const Survey& of = mixed(state.range(0) != 0);
  const estimator::Estimator estimator = estimator::Estimator::create(of.task, of.tally).value();
  const Query query = Query::parse(of.task.schema(), "a2 in 10..40 and a9 in 30..90").value();
  for (auto _ : state) {
    compiler::Work work;
    const compiler::LinearQuery linear = compiler::compile(of.task, query, work).value().linear;
    benchmark::DoNotOptimize(estimator.estimate(linear, 0.95));
  }
}
BENCHMARK(box_on_two_attributes)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void all_91_tables_of_pairs(benchmark::State& state) {
  const Survey& of = mixed(state.range(0) != 0);
  const estimator::Estimator estimator = estimator::Estimator::create(of.task, of.tally).value();
  for (auto _ : state) {
    for (std::uint32_t a = 0; a < 14; ++a) {
      for (std::uint32_t b = a + 1; b < 14; ++b) {
        benchmark::DoNotOptimize(estimator.table(std::vector<std::uint32_t>{a, b}, 0.95));
      }
    }
  }
}
BENCHMARK(all_91_tables_of_pairs)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// Each report answers about a raw group of 3, 8 or 16 of the 64 booleans.
void thousand_pairs_of_64_booleans(benchmark::State& state) {
  const auto width = static_cast<std::uint32_t>(state.range(0));
  const Survey of = survey(std::vector<std::uint32_t>(64, 2), {{GroupKind::kRaw, width, 1}});
  const estimator::Estimator estimator = estimator::Estimator::create(of.task, of.tally).value();
  std::vector<compiler::LinearQuery> queries;
  for (int q = 0; q < 1000; ++q) {
    const std::string text =
        "a" + std::to_string(q % 64) + " = 1 and a" + std::to_string((q + 1 + q / 64) % 64) + " = 0";
    const Query query = Query::parse(of.task.schema(), text).value();
    compiler::Work work;
    queries.push_back(compiler::compile(of.task, query, work).value().linear);
  }
  for (auto _ : state) {
    for (const compiler::LinearQuery& query : queries) benchmark::DoNotOptimize(estimator.estimate(query, 0.95));
  }
}
BENCHMARK(thousand_pairs_of_64_booleans)->Arg(3)->Arg(8)->Arg(16)->Unit(benchmark::kMillisecond);

// Returns a task and a tally over two attributes of `values` values (64 or 256). Each report answers about half-circles
// of one or both attributes.
const Survey& half_circles(std::uint32_t values) {
  const auto survey_of = [](std::uint32_t size) {
    CircleQuestions circle{.places = size, .bits = 1, .multipliers = {}, .weights = {}};
    for (std::uint32_t j = 1; j <= size / 2; ++j) {
      circle.multipliers.push_back(j);
      circle.weights.push_back(1000 / j);
    }
    const CircleQuestions both = circle;
    return survey({size, size}, {{GroupKind::kSingle, 1, 43}, {GroupKind::kSingle, 2, 57}}, {circle, both});
  };
  static const Survey kSmall = survey_of(64);
  static const Survey kLarge = survey_of(256);
  return values == 64 ? kSmall : kLarge;
}

void estimate_half_circle_box(benchmark::State& state) {
  const Survey& of = half_circles(static_cast<std::uint32_t>(state.range(0)));
  const estimator::Estimator estimator = estimator::Estimator::create(of.task, of.tally).value();
  const Query query = Query::parse(of.task.schema(), "a0 in 10..40 and a1 in 20..50").value();
  compiler::Work work;
  const compiler::LinearQuery linear = compiler::compile(of.task, query, work).value().linear;
  for (auto _ : state) benchmark::DoNotOptimize(estimator.estimate(linear, 0.95));
}
BENCHMARK(estimate_half_circle_box)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

void half_circle_table(benchmark::State& state) {
  const Survey& of = half_circles(static_cast<std::uint32_t>(state.range(0)));
  const estimator::Estimator estimator = estimator::Estimator::create(of.task, of.tally).value();
  for (auto _ : state) benchmark::DoNotOptimize(estimator.table(std::vector<std::uint32_t>{0, 1}, 0.95));
}
BENCHMARK(half_circle_table)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearsay::tests
