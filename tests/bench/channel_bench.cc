// What a randomized payload costs a device, random bits from OpenSSL included, and what adding it up costs the
// aggregator. Arguments: number of boolean attributes. Both calibrations at ε = 1.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"

namespace hearsay {
namespace {

Task booleans(std::int64_t count, LaplaceCalibration calibration) {
  std::vector<Attribute> attributes;
  for (std::int64_t i = 0; i < count; ++i) attributes.push_back(Attribute::boolean("a" + std::to_string(i)).value());
  return Task::create({.name = "bench",
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
  Tally tally = task.channel().empty_tally();
  for (auto _ : state) {
    if (!task.channel().add(payload, tally)) state.SkipWithError("refused");
  }
}
BENCHMARK(add_to_tally)->Arg(16)->Arg(64)->Arg(4096);

}  // namespace
}  // namespace hearsay
