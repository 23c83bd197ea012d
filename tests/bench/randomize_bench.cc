// Measures the cost of making a report on a device, with the report's id and random bits from OpenSSL, at ε = 1. The
// counter `bytes` is the number of random bytes per report; 16 of them are the id. There are two baselines. naive_noise
// draws a floating-point Laplace sample for each coordinate with the same generator of random bits, and makes no
// report. copy_report copies a report of the same size.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "common/report/randomize.h"
#include "tests/bench/bench_tasks.h"
#include "tests/bench/counting_bit_source.h"

namespace hearsay {
namespace {

void run(benchmark::State& state, const Task& task) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < task.schema().size(); ++i) values.push_back(i % 2);
  const Record record = Record::create(task.schema(), std::move(values)).value();
  const UnixSeconds now = task.spec().task_start;
  for (auto _ : state) {
    const auto report = randomize(task, record, now, system_bit_source());
    if (!report) state.SkipWithError("refused");
    benchmark::DoNotOptimize(report);
  }
  constexpr int kReports = 10'000;
  bench::CountingBitSource bits;
  for (int i = 0; i < kReports; ++i) benchmark::DoNotOptimize(randomize(task, record, now, bits));
  state.counters["bytes"] = static_cast<double>(bits.consumed()) / kReports;
}

void laplace(benchmark::State& state) { run(state, bench::booleans(state.range(0), LaplaceSpec{}, LiteralsSpec{})); }
BENCHMARK(laplace)->Arg(16)->Arg(64);

void sampled_groups(benchmark::State& state) {
  const SampledSpec spec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 3, 2}, {GroupKind::kEven, 4, 3}},
                         .group_size = 0};
  run(state, bench::booleans(state.range(0), spec, CharactersSpec{2}));
}
BENCHMARK(sampled_groups)->Arg(16);

void naive_noise(benchmark::State& state) {
  const double t = 2 * static_cast<double>(state.range(0));
  BitSource& bits = system_bit_source();
  for (auto _ : state) {
    for (std::int64_t j = 0; j < state.range(0); ++j) {
      const double u = static_cast<double>(bits.bits(53)) * 0x1p-53 - 0.5;
      benchmark::DoNotOptimize(std::llround(std::copysign(t * std::log1p(-2 * std::abs(u)), -u)));
    }
  }
  state.counters["bytes"] = 7.0 * static_cast<double>(state.range(0));
}
BENCHMARK(naive_noise)->Arg(16)->Arg(64);

// The argument is the size of a report in bytes.
void copy_report(benchmark::State& state) {
  const std::vector<std::uint8_t> report(static_cast<std::size_t>(state.range(0)), 1);
  std::vector<std::uint8_t> target(report.size());
  for (auto _ : state) {
    std::memcpy(target.data(), report.data(), report.size());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(copy_report)->Arg(29)->Arg(138);

}  // namespace
}  // namespace hearsay
