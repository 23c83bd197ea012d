#include "aggregator/central/extremes/cell_extremes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "aggregator/central/calibration.h"
#include "common/base/int128.h"
#include "common/base/try.h"

namespace hearsay::central {
namespace {

// Returns ε/parts, rounded down to 6 decimals.
Result<Epsilon> share_of(const Epsilon& epsilon, std::uint64_t parts) {
  constexpr std::uint64_t kMillion = 1'000'000;
  const Rational whole_epsilon = exact(epsilon);
  const auto millionths =
      static_cast<std::uint64_t>(Uint128{whole_epsilon.num()} * kMillion / whole_epsilon.den() / parts);
  std::string decimals = std::to_string(millionths % kMillion);
  decimals.insert(0, 6 - decimals.size(), '0');
  return Epsilon::parse(std::to_string(millionths / kMillion) + "." + decimals);
}

}  // namespace

Result<std::optional<std::uint32_t>> ReleasedExtremes::of(std::span<const std::uint32_t> chosen) const {
  std::optional<std::uint32_t> merged;
  for (const std::uint32_t cell : chosen) {
    if (cell >= cells.size()) return Error{ErrorCode::kInvalidArgument, "there is no such cell"};
    if (!cells[cell]) continue;
    const std::uint32_t value = *cells[cell];
    merged = !merged ? value : extreme == Extreme::kMaximum ? std::max(*merged, value) : std::min(*merged, value);
  }
  return merged;
}

Result<CellExtremes> CellExtremes::create(Extreme extreme, const Epsilon& epsilon, Neighbours neighbours,
                                          std::uint32_t cells, std::uint32_t values, double delta) {
  if (cells == 0) return Error{ErrorCode::kInvalidArgument, "a partition needs at least one cell"};
  if (cells > kMostExtremeCells) return Error{ErrorCode::kDomainTooLarge, "a partition has at most 2^16 cells"};
  const bool replaced = neighbours == Neighbours::kReplaceOne;
  HEARSAY_TRY(const Epsilon half, share_of(epsilon, 2));
  HEARSAY_TRY(const Epsilon of_cell, share_of(epsilon, replaced ? 4 : 2));
  HEARSAY_TRY(const auto counts, LaplaceMechanism::create(half, whole(replaced ? 2 : 1), neighbours));
  // Within a cell, a row that moves to another cell looks like a removed row.
  HEARSAY_TRY(const auto within_cell,
              RankedExtreme::create(extreme, of_cell, Neighbours::kAddRemove, values, delta / 2 / cells));
  HEARSAY_TRY(const std::uint64_t noise, counts.error_bound(cells, delta / 2));
  HEARSAY_TRY(const std::uint64_t fewest, record_count(static_cast<double>(within_cell.rank() + noise)));
  return CellExtremes(extreme, neighbours, cells, counts, within_cell, static_cast<std::int64_t>(fewest));
}

Result<ReleasedExtremes> CellExtremes::release(std::span<const CellRow> rows, BitSource& bits) const {
  if (rows.empty() && neighbours_ == Neighbours::kReplaceOne) {
    return Error{ErrorCode::kInvalidArgument, "there must be at least one row"};
  }
  std::vector<std::vector<std::uint32_t>> by_cell(cells_);
  for (const CellRow& row : rows) {
    if (row.cell < cells_) by_cell[row.cell].push_back(row.value);
  }
  ReleasedExtremes released{extreme_, std::vector<std::optional<std::uint32_t>>(cells_)};
  for (std::uint32_t cell = 0; cell < cells_; ++cell) {
    const std::int64_t count = counts_.release(static_cast<std::int64_t>(by_cell[cell].size()), bits);
    if (count < fewest_rows_) continue;
    HEARSAY_TRY(released.cells[cell], within_cell_.release(by_cell[cell], bits));
  }
  return released;
}

}  // namespace hearsay::central
