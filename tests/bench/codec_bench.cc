// Measures turning reports into bytes and back. The baseline copies the same bytes with memcpy.
//
// The argument is the number of bytes of a payload. A payload of `sampled` with 16 booleans has 2 bytes. A payload of
// `laplace` with 64 coordinates has 112 bytes. Items are reports.

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "common/random/bit_source.h"
#include "common/report/report.h"

namespace hearsay {
namespace {

constexpr std::size_t kReports = 1000;

std::vector<Report> reports_with(std::size_t payload_bytes) {
  std::vector<Report> reports(kReports);
  for (Report& report : reports) {
    system_bit_source().fill(report.id.bytes);
    report.time = 1'767'225'600;
    report.payload.resize(payload_bytes);
    system_bit_source().fill(report.payload);
  }
  return reports;
}

std::vector<std::uint8_t> sequence_of(const std::vector<Report>& reports) {
  std::vector<std::uint8_t> bytes;
  for (const Report& report : reports) append_report(report, bytes);
  return bytes;
}

void finish(benchmark::State& state, std::size_t bytes) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kReports));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}

void memcpy_of_the_same_bytes(benchmark::State& state) {
  const std::vector<std::uint8_t> bytes = sequence_of(reports_with(static_cast<std::size_t>(state.range(0))));
  std::vector<std::uint8_t> copy(bytes.size());
  for (auto _ : state) {
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    benchmark::DoNotOptimize(copy.data());
    benchmark::ClobberMemory();
  }
  finish(state, bytes.size());
}
BENCHMARK(memcpy_of_the_same_bytes)->Arg(2)->Arg(112);

void read_reports(benchmark::State& state) {
  const std::vector<std::uint8_t> bytes = sequence_of(reports_with(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    for (std::span<const std::uint8_t> rest(bytes); !rest.empty();) benchmark::DoNotOptimize(read_report(rest).value());
  }
  finish(state, bytes.size());
}
BENCHMARK(read_reports)->Arg(2)->Arg(112);

void append_reports(benchmark::State& state) {
  const std::vector<Report> reports = reports_with(static_cast<std::size_t>(state.range(0)));
  std::vector<std::uint8_t> bytes;
  for (auto _ : state) {
    bytes.clear();
    for (const Report& report : reports) append_report(report, bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  finish(state, bytes.size());
}
BENCHMARK(append_reports)->Arg(2)->Arg(112);

}  // namespace
}  // namespace hearsay
