#include "aggregator/central/parity/parity_release.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 63U;

Result<void> check_attributes(unsigned attributes) {
  if (attributes < 2 || attributes > kMostParityAttributes) {
    return Error{ErrorCode::kInvalidArgument, "rows must have 2 to 20 attributes, the label included"};
  }
  return {};
}

}  // namespace

bool agrees(BitRow row, BitRow vector, unsigned attributes) {
  const BitRow label = row >> (attributes - 1) & 1U;
  const BitRow selected = row & vector & ((BitRow{1} << (attributes - 1)) - 1);
  return (static_cast<unsigned>(std::popcount(selected)) & 1U) == label;
}

Result<ReleasedRows> ReleasedRows::create(unsigned attributes, std::vector<std::uint64_t> counts) {
  HEARSAY_CHECK_OK(check_attributes(attributes));
  if (counts.size() != std::size_t{1} << attributes) {
    return Error{ErrorCode::kInvalidArgument, "there must be one count for each possible row"};
  }
  std::uint64_t sum = 0;
  for (std::uint64_t& count : counts) {
    if (count >= kMostRows - sum) return Error{ErrorCode::kOverflow, "there must be fewer than 2^63 rows"};
    sum += count;
    count = sum;
  }
  if (sum == 0) return Error{ErrorCode::kInvalidArgument, "nothing was released: no count is above 0"};
  return ReleasedRows(attributes, std::move(counts));
}

std::uint64_t ReleasedRows::agreeing(BitRow vector) const {
  std::uint64_t sum = 0;
  for (BitRow row = 0; row < cumulative_.size(); ++row) {
    if (agrees(row, vector, attributes_)) sum += count(row);
  }
  return sum;
}

double ReleasedRows::noise_rate(BitRow vector) const {
  return static_cast<double>(rows() - agreeing(vector)) / static_cast<double>(rows());
}

double ReleasedRows::worst_noise_rate(BitRow vector) const {
  const BitRow label = BitRow{1} << (attributes_ - 1);
  double worst = 0;
  for (BitRow row = 0; row < label; ++row) {
    const std::uint64_t both = count(row) + count(row | label);
    if (both == 0) continue;
    const std::uint64_t wrong = agrees(row, vector, attributes_) ? count(row | label) : count(row);
    worst = std::max(worst, static_cast<double>(wrong) / static_cast<double>(both));
  }
  return worst;
}

BitRow ReleasedRows::draw(BitSource& bits) const {
  const std::uint64_t place = uniform_below(bits, rows());
  return static_cast<BitRow>(std::ranges::upper_bound(cumulative_, place) - cumulative_.begin());
}

Result<ParityRelease> ParityRelease::create(const Epsilon& epsilon, Neighbours neighbours, unsigned attributes) {
  HEARSAY_CHECK_OK(check_attributes(attributes));
  HEARSAY_TRY(const CellRelease cells, CellRelease::create(epsilon, neighbours));
  return ParityRelease(cells, attributes);
}

Result<ReleasedRows> ParityRelease::release(std::span<const BitRow> rows, BitSource& bits) const {
  if (rows.empty() && cells_.neighbours() == Neighbours::kReplaceOne) {
    return Error{ErrorCode::kInvalidArgument, "there must be at least one row"};
  }
  HEARSAY_TRY(CellCube cube, CellCube::create({std::uint32_t{1} << attributes_}));
  for (const BitRow row : rows) {
    const BitRow cell = row & ((BitRow{1} << attributes_) - 1);
    HEARSAY_CHECK_OK(cube.add({&cell, 1}));
  }
  HEARSAY_TRY(const ReleasedCube noisy, cells_.release(cube, bits));
  std::vector<std::uint64_t> counts;
  for (const std::int64_t cell : noisy.cells())
    counts.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(cell, 0)));
  return ReleasedRows::create(attributes_, std::move(counts));
}

}  // namespace hearsay::central
