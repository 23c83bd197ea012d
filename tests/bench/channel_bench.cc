// Measures the cost of making a randomized payload on a device, with random bits from OpenSSL. Also measures the cost
// of adding a payload to the aggregator's tally. ε is 1. The number behind a benchmark's name is the number of boolean
// attributes.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"
#include "tests/support/group_law.h"

namespace hearsay {
namespace {

Task booleans(std::int64_t count, LaplaceCalibration calibration = LaplaceCalibration::kTight) {
  std::vector<Attribute> attributes;
  for (std::int64_t i = 0; i < count; ++i) attributes.push_back(Attribute::boolean("a" + std::to_string(i)).value());
  return Task::create({.title = "bench",
                       .schema = Schema::create(std::move(attributes)).value(),
                       .arrangement = LiteralsSpec{},
                       .channel = LaplaceSpec{calibration, {}},
                       .epsilon = Epsilon::parse("1").value(),
                       .task_duration = 1,
                       .time_precision = 1})
      .value();
}

Record alternating(const Schema& schema) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < schema.size(); ++i) values.push_back(i % 2);
  return Record::create(schema, std::move(values)).value();
}

void randomize(benchmark::State& state, LaplaceCalibration calibration) {
  const Task task = booleans(state.range(0), calibration);
  const Record record = alternating(task.schema());
  BitSource& bits = system_bit_source();
  for (auto _ : state) benchmark::DoNotOptimize(task.channel().randomize(task.arrangement(), record, bits));
  state.counters["payload_bytes"] = static_cast<double>(task.channel().payload_size());
}
BENCHMARK_CAPTURE(randomize, tight, LaplaceCalibration::kTight)->Arg(1)->Arg(16)->Arg(64)->Arg(4096);
BENCHMARK_CAPTURE(randomize, paper, LaplaceCalibration::kPaper)->Arg(16);

void add_to_tally(benchmark::State& state) {
  const Task task = booleans(state.range(0), LaplaceCalibration::kTight);
  const std::vector<std::uint8_t> payload =
      task.channel().randomize(task.arrangement(), alternating(task.schema()), system_bit_source());
  tally::Tally tally = tally::Tally::empty(task.channel());
  for (auto _ : state) {
    if (!tally.add(task.channel(), payload)) state.SkipWithError("refused");
  }
}
BENCHMARK(add_to_tally)->Arg(16)->Arg(64)->Arg(4096);

// Returns a schema of 14 attributes of mixed sizes, with d = 251,425 characters of order 2.
Schema mixed() {
  std::vector<Attribute> attributes;
  for (const int size : {85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2}) {
    attributes.push_back(Attribute::range("a" + std::to_string(attributes.size()), 0, size - 1).value());
  }
  return Schema::create(std::move(attributes)).value();
}

const std::vector<GroupWeight> kSingles = {{GroupKind::kSingle, 1, 1}, {GroupKind::kSingle, 2, 4}};
const std::vector<GroupWeight> kGroups = {
    {GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 3, 2}, {GroupKind::kEven, 4, 3}};

Task sampled(const Schema& schema, std::vector<GroupWeight> groups) {
  return Task::create({.title = "bench",
                       .schema = schema,
                       .arrangement = CharactersSpec{2},
                       .channel = SampledSpec{.groups = std::move(groups), .group_size = 0},
                       .epsilon = Epsilon::parse("1").value(),
                       .task_duration = 1,
                       .time_precision = 1})
      .value();
}

void randomize_sampled(benchmark::State& state, const Schema& schema, const std::vector<GroupWeight>& groups) {
  const Task task = sampled(schema, groups);
  const Record record = alternating(task.schema());
  BitSource& bits = system_bit_source();
  for (auto _ : state) benchmark::DoNotOptimize(task.channel().randomize(task.arrangement(), record, bits));
  state.counters["payload_bytes"] = static_cast<double>(task.channel().payload_size());
  state.counters["d"] = static_cast<double>(task.arrangement().dimension());
}
BENCHMARK_CAPTURE(randomize_sampled, booleans_singles, booleans(16).schema(), kSingles);
BENCHMARK_CAPTURE(randomize_sampled, booleans_groups, booleans(16).schema(), kGroups);
BENCHMARK_CAPTURE(randomize_sampled, mixed_singles, mixed(), kSingles);
BENCHMARK_CAPTURE(randomize_sampled, mixed_singles_by_masks, mixed(),
                  tests::with_odds(kSingles, tests::odds_by_masks(mixed())));
BENCHMARK_CAPTURE(randomize_sampled, mixed_groups, mixed(), kGroups);

// Measures payloads that answer questions about one ordered attribute, or about two ordered attributes together.
void randomize_questions(benchmark::State& state, const std::vector<Attribute>& attributes, const QuestionSpec& of_each,
                         const std::vector<GroupWeight>& groups) {
  const Schema schema = Schema::create(attributes).value();
  const Task task =
      Task::create({.title = "bench",
                    .schema = schema,
                    .arrangement = CharactersSpec{static_cast<std::uint32_t>(schema.size())},
                    .channel = SampledSpec{.groups = groups, .group_size = 0, .questions = {schema.size(), of_each}},
                    .epsilon = Epsilon::parse("1").value(),
                    .task_duration = 1,
                    .time_precision = 1})
          .value();
  const Record record = alternating(task.schema());
  BitSource& bits = system_bit_source();
  for (auto _ : state) benchmark::DoNotOptimize(task.channel().randomize(task.arrangement(), record, bits));
  state.counters["payload_bytes"] = static_cast<double>(task.channel().payload_size());
}

std::vector<Attribute> ordered(std::size_t count, int values) {
  std::vector<Attribute> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(Attribute::range("a" + std::to_string(i), 0, values - 1).value());
  return all;
}

// Returns the questions with all multipliers from 1 to places / 2, with falling weights.
QuestionSpec arcs(std::uint32_t places, std::uint32_t bits) {
  CircleQuestions circle{places, bits, {}, {}};
  for (std::uint32_t j = 1; j <= places / 2; ++j) {
    circle.multipliers.push_back(j);
    circle.weights.push_back(1'000'000 / j);
  }
  return circle;
}

// Returns the questions about all sets of `size` levels. An attribute of 64 values has 6 levels: the parities whose
// lowest bit is 0, …, 5.
QuestionSpec levels_of_64(std::size_t size) {
  LevelQuestions levels;
  for (std::uint32_t chosen = 0; chosen < 64; ++chosen) {
    std::vector<std::uint32_t> set;
    for (std::uint32_t level = 0; level < 6; ++level) {
      if ((chosen >> level & 1U) != 0) set.push_back(level);
    }
    if (set.size() == size) levels.levels.push_back(std::move(set));
  }
  std::sort(levels.levels.begin(), levels.levels.end());
  levels.weights.assign(levels.levels.size(), 1);
  return levels;
}

const std::vector<GroupWeight> kOne = {{GroupKind::kSingle, 1, 1}};
const std::vector<GroupWeight> kRawOne = {{GroupKind::kRaw, 1, 1}};
BENCHMARK_CAPTURE(randomize_questions, parities_1024, ordered(1, 1024), QuestionSpec(), kOne);
BENCHMARK_CAPTURE(randomize_questions, parities_4_bits_1024, ordered(1, 1024), ParityQuestions{4}, kRawOne);
BENCHMARK_CAPTURE(randomize_questions, half_circles_1024, ordered(1, 1024), arcs(1024, 1), kOne);
BENCHMARK_CAPTURE(randomize_questions, arcs_1024, ordered(1, 1024), arcs(1024, 2), kRawOne);
BENCHMARK_CAPTURE(randomize_questions, half_circles_8192, ordered(1, 8192), arcs(8192, 1), kOne);
BENCHMARK_CAPTURE(randomize_questions, half_circles_64_by_64, ordered(2, 64), arcs(64, 1), kSingles);
BENCHMARK_CAPTURE(randomize_questions, levels_5_of_6, ordered(1, 64), levels_of_64(5), kRawOne);

// The benchmark adds 2^18 payloads that were randomized one by one, so that the tally grows as in a real aggregator.
void add_to_sampled_tally(benchmark::State& state, const Schema& schema) {
  const Task task = sampled(schema, kGroups);
  std::vector<std::vector<std::uint8_t>> payloads;
  for (int i = 0; i < 1 << 18; ++i) {
    payloads.push_back(task.channel().randomize(task.arrangement(), alternating(task.schema()), system_bit_source()));
  }
  tally::Tally tally = tally::Tally::empty(task.channel());
  std::size_t next = 0;
  for (auto _ : state) {
    if (next == payloads.size()) {
      next = 0;
      tally = tally::Tally::empty(task.channel());
    }
    if (!tally.add(task.channel(), payloads[next++])) state.SkipWithError("refused");
  }
}
BENCHMARK_CAPTURE(add_to_sampled_tally, booleans, booleans(16).schema());
BENCHMARK_CAPTURE(add_to_sampled_tally, mixed, mixed());

}  // namespace
}  // namespace hearsay
