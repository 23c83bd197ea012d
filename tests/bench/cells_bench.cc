// Measures a cell release on a cube with the shape of Xiao, Xiong and Yuan's census: 79 ages, 14 educations, 23
// occupations and 100 incomes.

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "aggregator/central/cells/cell_release.h"
#include "common/privacy/samplers.h"
#include "common/random/bit_source.h"

namespace hearsay::central {
namespace {

constexpr std::array<std::uint32_t, 4> kSizes{79, 14, 23, 100};

// Measures four steps: counting 10^6 rows, adding noise to 2,543,800 cells, prefix sums, and 1,000 random boxes. The
// benchmark draws the rows and boxes before the clock starts.
void census_cube(benchmark::State& state) {
  BitSource& bits = system_bit_source();
  std::vector<std::array<std::uint32_t, 4>> rows(1'000'000);
  for (auto& row : rows) {
    for (std::size_t i = 0; i < 4; ++i) row[i] = static_cast<std::uint32_t>(uniform_below(bits, kSizes[i]));
  }
  std::vector<std::array<CellRange, 4>> boxes(1000);
  for (auto& box : boxes) {
    for (std::size_t i = 0; i < 4; ++i) {
      const auto low = static_cast<std::uint32_t>(uniform_below(bits, kSizes[i]));
      box[i] = {low, low + static_cast<std::uint32_t>(uniform_below(bits, kSizes[i] - low))};
    }
  }
  const auto mechanism = CellRelease::create(Epsilon::parse("1").value(), Neighbours::kReplaceOne).value();
  for (auto _ : state) {
    CellCube cube = CellCube::create({kSizes.begin(), kSizes.end()}).value();
    for (const auto& row : rows) benchmark::DoNotOptimize(cube.add(row));
    const ReleasedCube released = mechanism.release(cube, bits).value();
    for (const auto& box : boxes) benchmark::DoNotOptimize(released.box(box));
  }
}
BENCHMARK(census_cube)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearsay::central
