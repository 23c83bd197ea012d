#include "aggregator/estimator/cell_weights.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "aggregator/compiler/compile.h"
#include "common/arrangement/arrangement.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "hearsay/query.h"

namespace hearsay::estimator {
namespace {

using compiler::BitCube;

constexpr std::size_t kMaxAttributes = 15;  // 3^15 < 2^24

Query first_cell(std::span<const std::uint32_t> attributes) {
  std::vector<Query> operands;
  for (const std::uint32_t attribute : attributes) {
    operands.emplace_back(query::Node(query::Membership{attribute, {{0, 0}}}));
  }
  return operands.size() == 1 ? operands.front() : Query(query::Node(query::And{std::move(operands)}));
}

}  // namespace

CellWeights::CellWeights(const Task& task, std::span<const std::uint32_t> attributes)
    : cube_(task.asked_schema(), attributes) {
  for (const BitCube::Axis& axis : cube_.axes()) {
    std::vector<double> transform(axis.ones + 1, 0);
    std::fill_n(transform.begin(), axis.values, 1.0 / (axis.ones + 1.0));
    compiler::walsh_hadamard(transform);
    value_transform_.push_back(std::move(transform));
  }
}

Result<CellWeights> CellWeights::create(const Task& task, std::span<const std::uint32_t> attributes,
                                        compiler::Work& work) {
  if (attributes.size() > kMaxAttributes) {
    return Error{ErrorCode::kLimitExceeded, "a table has at most 15 attributes"};
  }
  CellWeights weights(task, attributes);
  HEARSAY_CHECK_OK(weights.find_coefficients(task, attributes, work));
  return weights;
}

// Each of the q attributes has three kinds of patterns: the cell's own value, another value, or no value. So the
// coefficients follow from f at 3^q places. If all patterns of an attribute are values, [z_i is a value] has no
// coefficient.
Result<void> CellWeights::find_coefficients(const Task& task, std::span<const std::uint32_t> attributes,
                                            compiler::Work& work) {
  HEARSAY_TRY(const compiler::CompiledQuery compiled, compiler::compile(task, first_cell(attributes), work));
  const compiler::LinearQuery& cell = compiled.linear;
  const auto& characters = std::get<Characters>(task.arrangement().kind());
  std::vector<double> f(cube_.size(), 0);
  f[0] = cell.offset;
  auto weight = cell.weights.begin();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sets;  // first coordinate and set, to be sorted like the weights
  for (std::uint32_t set = 1; set < 1U << cube_.axes().size(); ++set) {
    sets.emplace_back(characters.coordinates_on(cube_.attributes(set)).first, set);
  }
  std::ranges::sort(sets);
  for (const auto& [first, set] : sets) {
    for (; weight != cell.weights.end() && weight->coordinate - first < cube_.coordinates(set); ++weight) {
      f[cube_.masks(set, weight->coordinate - first)] = weight->value;
    }
  }
  compiler::walsh_hadamard(f);

  std::size_t places = 1;
  for (std::size_t i = 0; i < cube_.axes().size(); ++i) places *= 3;
  work.foresee({places * (1 + cube_.axes().size()), places * sizeof(double)}, "ask for a table of fewer attributes");
  beta_.resize(places);
  // The number of places that one call of spend() counts.
  constexpr std::size_t kStride = 1U << 16U;
  for (std::size_t place = 0; place < places; ++place) {
    if (place % kStride == 0) work.spend(kStride);
    std::size_t at = 0;
    std::size_t digits = place;
    for (std::size_t i = cube_.axes().size(); i-- > 0; digits /= 3) {
      const BitCube::Axis& axis = cube_.axes()[i];
      const std::uint32_t none = axis.values <= axis.ones ? axis.ones : 1;
      at |= std::size_t{std::array<std::uint32_t, 3>{0, 1, none}[digits % 3]} << axis.shift;
    }
    beta_[place] = f[at];
  }
  std::size_t stride = 1;
  for (std::size_t i = cube_.axes().size(); i-- > 0; stride *= 3) {
    const double patterns = cube_.axes()[i].ones + 1.0;
    const double values = cube_.axes()[i].values;
    for (std::size_t place = 0; place < places; ++place) {
      if (place % kStride == 0) work.spend(kStride);
      if (place / stride % 3 != 0) continue;
      double& own = beta_[place];
      double& other = beta_[place + stride];
      double& none = beta_[place + 2 * stride];
      const double delta = (own - other) / patterns;
      const double value = other - none;
      own = delta;
      other = value;
      // Coordinates without this attribute use the average over the attribute's patterns.
      none += delta + value * values / patterns;
    }
  }
  offset_ = beta_.back();
  return {};
}

// Returns the coefficients of the polynomial g_j, indexed by U (bit i for the i-th attribute of T).
std::vector<double> CellWeights::polynomial(std::uint32_t set, std::size_t masks) const {
  std::vector<double> out(std::size_t{1} << std::popcount(set));
  out[0] = 1;
  std::size_t size = 1;
  std::size_t everything = beta_.size() - 1;  // the index of U = T = ∅, in which every digit is 2
  std::array<std::size_t, kMaxAttributes> strides{};
  std::size_t stride = beta_.size();
  std::size_t attributes = 0;
  for (std::size_t i = 0; i < cube_.axes().size(); ++i) {
    stride /= 3;
    if ((set >> i & 1U) == 0) continue;
    const double without = value_transform_[i][BitCube::pattern(cube_.axes()[i], masks)];
    for (std::size_t u = 0; u < size; ++u) {
      out[u + size] = out[u];
      out[u] *= without;
    }
    size *= 2;
    strides[attributes++] = stride;
    everything -= stride;
  }
  for (std::size_t u = 0; u < size; ++u) {
    std::size_t place = everything;
    for (std::size_t i = 0; i < attributes; ++i) place -= (u >> i & 1U) * strides[i];
    out[u] *= beta_[place];
  }
  return out;
}

std::uint64_t CellWeights::steps_of(std::uint32_t set) const {
  const auto attributes = static_cast<std::uint64_t>(std::popcount(set));
  constexpr std::uint64_t kOthers = 16;
  return (cube_.axes().size() + 4 * attributes + kOthers) << attributes;
}

std::vector<double> CellWeights::weights(std::uint32_t set, std::size_t masks) const {
  std::vector<double> of_signs = polynomial(set, masks);
  compiler::walsh_hadamard(of_signs);
  return of_signs;
}

void CellWeights::add(std::uint32_t set, std::size_t masks, double scale, CellFunction& to) const {
  std::vector<double> of_signs = weights(set, masks);
  for (double& weight : of_signs) weight *= scale;
  add_function(set, masks, std::move(of_signs), to);
}

void CellWeights::add_square(std::uint32_t set, std::size_t masks, double scale, CellFunction& to) const {
  std::vector<double> of_signs = weights(set, masks);
  for (double& weight : of_signs) weight *= scale * weight;
  add_function(set, masks, std::move(of_signs), to);
}

void CellWeights::add_function(std::uint32_t set, std::size_t masks, std::vector<double> of_signs,
                               CellFunction& to) const {
  compiler::walsh_hadamard(of_signs);
  const double share = 1 / static_cast<double>(of_signs.size());
  for (std::size_t u = 0; u < of_signs.size(); ++u) {
    std::size_t of_u = 0;
    std::size_t bit = 0;
    for (std::size_t i = 0; i < cube_.axes().size(); ++i) {
      if ((set >> i & 1U) == 0) continue;
      if ((u >> bit++ & 1U) != 0) of_u |= masks & (cube_.axes()[i].ones << cube_.axes()[i].shift);
    }
    to[of_u] += of_signs[u] * share;
  }
}

double CellWeights::norm(std::uint32_t set) const {
  double sum = 0;
  for (std::size_t at = 0; at < cube_.coordinates(set); ++at) sum += std::pow(weights(set, cube_.masks(set, at))[0], 2);
  return sum;
}

std::vector<double> CellWeights::at_cells(CellFunction function) const {
  compiler::walsh_hadamard(function);
  std::vector<double> out;
  for (std::size_t cell = 0; cell < function.size(); ++cell) {
    if (!cube_.is_padding(cell)) out.push_back(function[cell]);
  }
  return out;
}

}  // namespace hearsay::estimator
