#include "aggregator/compiler/compile_characters.h"

#include <algorithm>
#include <cmath>

#include "aggregator/compiler/bit_cube.h"
#include "aggregator/compiler/relevant_table.h"
#include "common/base/try.h"

namespace hearsay::compiler {
namespace {

// Costs in steps of Work. kStepsPerAxis is for one axis of one cell of a cube. kStepsPerSet is for finding the
// coordinates on a set of attributes and checking whether the task asks about them. kStepsPerVariance is for the
// variance of these coordinates.
constexpr std::uint64_t kStepsPerAxis = 4;
constexpr std::uint64_t kStepsPerSet = 64;
constexpr std::uint64_t kStepsPerVariance = 512;
constexpr std::uint64_t kBytesPerCell = sizeof(double) + sizeof(LinearQuery::Weight);

BitCube cube_of(const TruthTable& truth, std::span<const std::size_t> relevant, const Schema& schema) {
  std::vector<std::uint32_t> attributes;
  for (const std::size_t axis : relevant) attributes.push_back(truth.axes()[axis].attribute);
  return BitCube(schema, attributes);
}

std::vector<double> on_cube(const TruthTable& truth, std::span<const std::size_t> relevant, const BitCube& cube,
                            Work& work) {
  std::vector<double> f(cube.size(), 0);
  for (std::size_t cell = 0; cell < cube.size(); ++cell) {
    work.spend(kStepsPerAxis * relevant.size());
    if (cube.is_padding(cell)) continue;
    std::size_t at = 0;
    for (std::size_t i = 0; i < relevant.size(); ++i) {
      const Cells& cells = truth.axes()[relevant[i]];
      at += cells.cell_of[BitCube::pattern(cube.axes()[i], cell)] * truth.stride(relevant[i]);
    }
    f[cell] = truth.table()[at];
  }
  return f;
}

Result<void> fill_padding(const BitCube& cube, const SubsetVariance& variance, std::span<double> f, Work& work) {
  if (!cube.has_padding()) return {};
  // If the task does not ask about some coordinates, their variance is set very high. Then these coordinates get little
  // or no weight if the other coordinates suffice.
  constexpr double kMuchDearer = 1e6;
  std::vector<double> of_set(std::size_t{1} << cube.axes().size(), 0);
  double dearest = 0;
  for (std::uint32_t set = 1; set < of_set.size(); ++set) {
    work.spend(kStepsPerVariance);
    of_set[set] = variance(cube.attributes(set));
    if (!(of_set[set] > 0)) {
      return Error{ErrorCode::kInvalidArgument, "the variance of a coordinate must be positive"};
    }
    if (std::isfinite(of_set[set])) dearest = std::max(dearest, of_set[set]);
  }
  for (double& of_one : of_set) {
    if (!std::isfinite(of_one)) of_one = dearest > 0 ? kMuchDearer * dearest : 1;
  }
  cube.fill_padding(of_set, f, work);
  return {};
}

// Returns the next larger number with the same number of bits set.
std::uint32_t next_of_size(std::uint32_t set) {
  const std::uint32_t lowest = set & (~set + 1);
  const std::uint32_t ripple = set + lowest;
  return ripple | ((set ^ ripple) / lowest >> 2U);
}

// Returns the coefficients g of all masks but 0, by ascending coordinate. CharacterIndex orders the coordinates:
// smaller sets of attributes come first, and sets of one size are ordered as numbers.
std::vector<LinearQuery::Weight> weights_of(const BitCube& cube, std::span<const double> g,
                                            const Characters& characters, Work& work) {
  constexpr double kRounding = 1e-15;  // smaller coefficients of a function with values about 1 are rounding errors
  const auto counts = [](double value) { return std::abs(value) > kRounding; };
  const auto axes = static_cast<std::uint32_t>(cube.axes().size());
  std::vector<LinearQuery::Weight> weights;
  weights.reserve(static_cast<std::size_t>(std::count_if(g.begin() + 1, g.end(), counts)));
  for (std::uint32_t size = 1; size <= axes; ++size) {
    for (std::uint32_t set = (1U << size) - 1; set < 1U << axes; set = next_of_size(set)) {
      const CharacterIndex::Ranks coordinates = characters.coordinates_on(cube.attributes(set));
      work.spend(kStepsPerSet);
      for (std::uint64_t i = 0; i < coordinates.size; ++i) {
        work.spend(axes);
        const double value = g[cube.masks(set, i)];
        if (counts(value)) weights.push_back({static_cast<std::uint32_t>(coordinates.first + i), value});
      }
    }
  }
  return weights;
}

Cost cost_of(const BitCube& cube) {
  const std::uint64_t axes = cube.axes().size();
  const std::uint64_t sets = std::uint64_t{1} << axes;
  Cost cost{cube.size() * axes * (kStepsPerAxis + 1) + cube.steps_of_transform() + 2 * sets * kStepsPerSet,
            cube.size() * kBytesPerCell};
  if (cube.has_padding()) {
    const Cost filling = cube.cost_of_filling();
    cost.steps += std::min(filling.steps, UINT64_MAX / 2) + sets * kStepsPerVariance;
    cost.bytes += filling.bytes;
  }
  return cost;
}

// Writes f(x) = Σ_masks g[masks]·(-1)^popcount(masks & cell of x). g[0], the mean over all cells, becomes the offset.
LinearQuery transformed(const BitCube& cube, std::vector<double> f, const Characters& characters, Work& work) {
  compiler::walsh_hadamard(f, work);
  for (double& g : f) g /= static_cast<double>(cube.size());
  LinearQuery result;
  result.offset = f.front();
  result.weights = weights_of(cube, f, characters, work);
  double squared_norm = 0;
  for (const auto& weight : result.weights) squared_norm += weight.value * weight.value;
  // All records lie on the two hyperplanes offset + ⟨a(x), g⟩ = 0 and offset + ⟨a(x), g⟩ = 1. In the paper's unit
  // vectors a(x)/√d these hyperplanes are 1/(√d·‖g‖) apart. The margin is half of this distance.
  result.margin = 1 / (2 * std::sqrt(static_cast<double>(characters.dimension()) * squared_norm));
  return result;
}

}  // namespace

Result<LinearQuery> compile_characters(const Query& query, const Schema& schema, const Characters& characters,
                                       const SubsetVariance& variance, Work& work) {
  HEARSAY_TRY(const RelevantTable table, relevant_table(query, schema, characters, kBytesPerCell, work));
  const auto& [truth, relevant] = table;
  if (relevant.empty()) {
    LinearQuery constant;
    constant.offset = truth.table().front();
    return constant;
  }
  const BitCube cube = cube_of(truth, relevant, schema);
  work.foresee(cost_of(cube), kFewerAttributes);
  std::vector<double> f = on_cube(truth, relevant, cube, work);
  HEARSAY_CHECK_OK(fill_padding(cube, variance, f, work));
  return transformed(cube, std::move(f), characters, work);
}

}  // namespace hearsay::compiler
