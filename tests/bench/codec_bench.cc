// What reading and writing reports costs, beside memcpy of the same bytes: sequences of 1,000 reports as a relay posts
// them. Argument: bytes of a payload; 3 makes reports of 29 bytes, as 16 booleans in planned groups have. Counter `ns`
// is per report.

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "common/random/bit_source.h"
#include "common/report/report.h"

namespace hearsay {
namespace {

constexpr std::size_t kReports = 1'000;

std::vector<Report> reports_of(std::size_t payload_bytes) {
  std::vector<Report> reports(kReports, Report{{}, 1'767'225'600, std::vector<std::uint8_t>(payload_bytes)});
  for (Report& report : reports) {
    system_bit_source().fill(report.id.bytes);
    system_bit_source().fill(report.payload);
  }
  return reports;
}

std::vector<std::uint8_t> encoded(const std::vector<Report>& reports) {
  std::vector<std::uint8_t> bytes;
  for (const Report& report : reports) append_report(report, bytes);
  return bytes;
}

void set_rate(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.counters["ns"] =
      benchmark::Counter(1e-9 * kReports, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void copy(benchmark::State& state) {
  const std::vector<std::uint8_t> bytes = encoded(reports_of(static_cast<std::size_t>(state.range(0))));
  std::vector<std::uint8_t> target(bytes.size());
  for (auto _ : state) {
    std::memcpy(target.data(), bytes.data(), bytes.size());
    benchmark::ClobberMemory();
  }
  set_rate(state, bytes.size());
}

void read(benchmark::State& state) {
  const std::vector<std::uint8_t> bytes = encoded(reports_of(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    std::span<const std::uint8_t> rest = bytes;
    while (!rest.empty()) {
      const Result<ReportView> view = read_report(rest);
      if (!view) {
        state.SkipWithError("refused");
        break;
      }
      benchmark::DoNotOptimize(view->payload.data());
    }
  }
  set_rate(state, bytes.size());
}

void append(benchmark::State& state) {
  const std::vector<Report> reports = reports_of(static_cast<std::size_t>(state.range(0)));
  std::vector<std::uint8_t> bytes;
  for (auto _ : state) {
    bytes.clear();
    for (const Report& report : reports) append_report(report, bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  set_rate(state, bytes.size());
}

BENCHMARK(copy)->Arg(3)->Arg(112);
BENCHMARK(read)->Arg(3)->Arg(112);
BENCHMARK(append)->Arg(3)->Arg(112);

}  // namespace
}  // namespace hearsay
