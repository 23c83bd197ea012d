// Measures an interval release of 10^6 rows over a grid of 2^20 cells, and 1,000 interval queries.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "aggregator/central/intervals/interval_release.h"
#include "common/privacy/samplers.h"
#include "common/random/bit_source.h"

namespace hearsay::central {
namespace {

// The benchmark draws the rows and intervals before the clock starts. The argument is the permitted error, in
// thousandths of the rows.
void intervals(benchmark::State& state) {
  constexpr unsigned kBits = 20;
  const Grid grid = Grid::create(0, 1 << kBits, kBits).value();
  BitSource& bits = system_bit_source();
  std::vector<std::uint64_t> rows(1'000'000);
  for (std::uint64_t& row : rows) row = uniform_below(bits, grid.cells());
  std::vector<CellInterval> queries(1000);
  for (CellInterval& query : queries) {
    query = {uniform_below(bits, grid.cells()), uniform_below(bits, grid.cells())};
    if (query.first > query.last) std::swap(query.first, query.last);
  }
  const auto error = Rational::create(static_cast<std::uint64_t>(state.range(0)), 1000).value();
  const auto mechanism = IntervalRelease::create(grid, Epsilon::parse("1").value(), error).value();
  for (auto _ : state) {
    const ReleasedPoints released = mechanism.release_cells(rows, bits).value();
    for (const CellInterval& query : queries) benchmark::DoNotOptimize(released.fraction(query));
  }
}
BENCHMARK(intervals)->Arg(200)->Arg(10)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearsay::central
