// Measures how fast the aggregator adds reports up, in bytes per second. The baselines read and sum the same bytes in a
// plain loop. Most benchmarks have the channel `laplace` at ε = 1 with d coordinates, where d is the argument. Their
// buffers are far larger than the processor's caches.
//
// `rows` adds decoded int32 to the tally; its baseline is read_sum. `payloads` adds packed bytes to the tally, in runs
// of 1,024 reports; its baseline is read_sum_payloads, which reads 8 bytes at a time. `check` measures the check of an
// upload. The counter `ns` is the time per report. The benchmarks of `sampled` have 16 booleans in groups. Their
// baseline, sampled_table, counts the same payloads in a table that has a counter for each possible payload.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"
#include "tests/bench/bench_tasks.h"

namespace hearsay {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 20U;
constexpr std::size_t kRun = 1024;

using View = std::span<const std::uint8_t>;

// A range of d + 1 values has d coordinates and the same sensitivity as d booleans.
LaplaceChannel laplace_of(std::size_t d) {
  const auto schema = Schema::create({Attribute::range("a", 0, static_cast<std::int64_t>(d)).value()}).value();
  const Arrangement arrangement = Arrangement::create(LiteralsSpec{}, schema).value();
  return LaplaceChannel::create(LaplaceSpec{}, arrangement, Epsilon::parse("1").value()).value();
}

struct Reports {
  std::vector<std::uint8_t> bytes;
  std::vector<View> views;
};

// Returns randomized reports. After the first 2,000 reports, the same reports repeat.
Reports reports_of(const Channel& channel, const LaplaceChannel& laplace) {
  const std::size_t size = channel.payload_size();
  const std::size_t count = kBufferBytes / size;
  Reports reports{std::vector<std::uint8_t>(count * size), {}};
  const std::vector<std::int8_t> embedding(laplace.coordinates(), 1);
  std::vector<std::int32_t> y(laplace.coordinates());
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<std::uint8_t> at = std::span(reports.bytes).subspan(i * size, size);
    if (i < 2'000) {
      laplace.randomize(embedding, system_bit_source(), y);
      laplace.pack(y, at);
    } else {
      std::memcpy(at.data(), reports.bytes.data() + i % 2'000 * size, size);
    }
    reports.views.emplace_back(at);
  }
  return reports;
}

void set_rate(benchmark::State& state, std::size_t bytes, std::size_t reports) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.counters["ns"] = benchmark::Counter(
      static_cast<double>(reports) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

std::vector<std::int32_t> rows_of(const LaplaceChannel& channel) {
  const std::size_t d = channel.coordinates();
  std::vector<std::int32_t> rows(kBufferBytes / sizeof(std::int32_t) / d * d);
  const std::vector<std::int8_t> embedding(d, 1);
  for (std::size_t i = 0; i < rows.size(); i += d) {
    if (i < 2'000 * d) {
      channel.randomize(embedding, system_bit_source(), std::span(rows).subspan(i, d));
    } else {
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(i % (2'000 * d)), d,
                  rows.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return rows;
}

void read_sum(benchmark::State& state) {
  const LaplaceChannel channel = laplace_of(static_cast<std::size_t>(state.range(0)));
  const std::vector<std::int32_t> rows = rows_of(channel);
  for (auto _ : state) {
    std::int64_t sum = 0;
    for (const std::int32_t y : rows) sum += y;
    benchmark::DoNotOptimize(sum);
  }
  set_rate(state, rows.size() * sizeof(std::int32_t), rows.size() / channel.coordinates());
}

void rows(benchmark::State& state) {
  const LaplaceChannel channel = laplace_of(static_cast<std::size_t>(state.range(0)));
  const std::vector<std::int32_t> all = rows_of(channel);
  for (auto _ : state) {
    tally::LaplaceTally tally(channel.coordinates());
    for (std::size_t i = 0; i < all.size(); i += channel.coordinates()) {
      tally.add(std::span(all).subspan(i, channel.coordinates()));
    }
    benchmark::DoNotOptimize(tally.sum.data());
  }
  set_rate(state, all.size() * sizeof(std::int32_t), all.size() / channel.coordinates());
}

void read_sum_payloads(benchmark::State& state) {
  const LaplaceChannel laplace = laplace_of(static_cast<std::size_t>(state.range(0)));
  const Reports reports = reports_of(Channel(laplace), laplace);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + 8 <= reports.bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, reports.bytes.data() + i, sizeof(word));
      sum += word;
    }
    benchmark::DoNotOptimize(sum);
  }
  set_rate(state, reports.bytes.size(), reports.views.size());
}

void payloads(benchmark::State& state) {
  const LaplaceChannel laplace = laplace_of(static_cast<std::size_t>(state.range(0)));
  const Channel channel(laplace);
  const Reports reports = reports_of(channel, laplace);
  tally::Tally tally = tally::Tally::empty(channel);
  for (auto _ : state) {
    tally = tally::Tally::empty(channel);
    for (std::size_t at = 0; at < reports.views.size(); at += kRun) {
      const std::size_t run = std::min(kRun, reports.views.size() - at);
      if (!tally.add_all(channel, std::span(reports.views).subspan(at, run))) state.SkipWithError("refused");
    }
  }
  set_rate(state, reports.bytes.size(), reports.views.size());
}

void check(benchmark::State& state) {
  const LaplaceChannel laplace = laplace_of(static_cast<std::size_t>(state.range(0)));
  const Channel channel(laplace);
  const Reports reports = reports_of(channel, laplace);
  for (auto _ : state) {
    for (const View& payload : reports.views) {
      if (!channel.check(payload)) state.SkipWithError("refused");
    }
  }
  set_rate(state, reports.bytes.size(), reports.views.size());
}

BENCHMARK(read_sum)->Arg(17)->Arg(64)->Arg(1025);
BENCHMARK(rows)->Arg(17)->Arg(64)->Arg(1025);
BENCHMARK(read_sum_payloads)->Arg(17)->Arg(64)->Arg(1025);
BENCHMARK(payloads)->Arg(17)->Arg(64)->Arg(1025);
BENCHMARK(check)->Arg(17)->Arg(64)->Arg(1025);

struct SampledReports {
  Task task;
  std::vector<std::uint8_t> bytes;
  std::vector<View> views;
};

// Returns 2^18 reports that were randomized one by one, so that the tally grows as in a real aggregator. The payloads
// lie in memory as far apart as in the body of a request.
SampledReports sampled_reports() {
  const SampledSpec spec{.groups = {{GroupKind::kSingle, 1, 1}, {GroupKind::kRaw, 3, 2}, {GroupKind::kEven, 4, 3}},
                         .group_size = 0};
  SampledReports reports{bench::booleans(16, spec, CharactersSpec{2}), {}, {}};
  const Record record = Record::create(reports.task.schema(), {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}).value();
  constexpr std::size_t kReports = std::size_t{1} << 18U;
  constexpr std::size_t kReportBytes = 29;
  reports.bytes.resize(kReports * kReportBytes);
  for (std::size_t i = 0; i < kReports; ++i) {
    const auto payload = reports.task.channel().randomize(reports.task.arrangement(), record, system_bit_source());
    const auto at = std::span(reports.bytes).subspan(i * kReportBytes, payload.size());
    std::copy(payload.begin(), payload.end(), at.begin());
    reports.views.emplace_back(at);
  }
  return reports;
}

void sampled_table(benchmark::State& state) {
  const SampledReports reports = sampled_reports();
  const std::size_t size = reports.task.channel().payload_size();
  std::vector<std::uint32_t> counts(std::size_t{1} << (8 * size));
  for (auto _ : state) {
    for (const View& payload : reports.views) {
      std::uint32_t code = 0;
      std::memcpy(&code, payload.data(), size);
      ++counts[code];
    }
    benchmark::DoNotOptimize(counts.data());
  }
  set_rate(state, reports.views.size() * size, reports.views.size());
}
BENCHMARK(sampled_table);

void sampled_payloads(benchmark::State& state) {
  const SampledReports reports = sampled_reports();
  const Channel& channel = reports.task.channel();
  const auto run = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    tally::Tally tally = tally::Tally::empty(channel);
    for (std::size_t at = 0; at < reports.views.size(); at += run) {
      const auto some = std::span(reports.views).subspan(at, std::min(run, reports.views.size() - at));
      if (!tally.add_all(channel, some)) state.SkipWithError("refused");
    }
    benchmark::DoNotOptimize(tally.reports());
  }
  set_rate(state, reports.views.size() * channel.payload_size(), reports.views.size());
}
BENCHMARK(sampled_payloads)->Arg(1)->Arg(1'000)->Arg(16'384);

void sampled_check(benchmark::State& state) {
  const SampledReports reports = sampled_reports();
  const Channel& channel = reports.task.channel();
  for (auto _ : state) {
    for (const View& payload : reports.views) {
      if (!channel.check(payload)) state.SkipWithError("refused");
    }
  }
  set_rate(state, reports.views.size() * channel.payload_size(), reports.views.size());
}
BENCHMARK(sampled_check);

}  // namespace
}  // namespace hearsay
