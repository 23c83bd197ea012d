// Releases the maxima or minima of all cells of a partition. The extremes of unions of cells follow from the extremes
// of the cells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/central/extremes/ranked_extreme.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

struct CellRow {
  std::uint32_t cell;
  std::uint32_t value;
};

// The released extremes. Anybody may see them. A cell whose noisy count is too small has no extreme.
struct ReleasedExtremes {
  Extreme extreme;
  std::vector<std::optional<std::uint32_t>> cells;

  // Returns the most extreme of the values released for the `chosen` cells, or nothing if none of these cells has a
  // value. Merging costs no privacy. Errors: kInvalidArgument for a cell that does not exist.
  Result<std::optional<std::uint32_t>> of(std::span<const std::uint32_t> chosen) const;
};

// Half of ε goes to a noisy count of every cell. The other half goes to a RankedExtreme in every cell whose noisy count
// is at least fewest_rows(). An added or removed row is in one cell, so the release costs the budget of one cell. A
// replaced row can change two cells, so under replace-one each cell gets half of this budget. The release is purely and
// exactly ε-private. The maximum of a union of cells is the largest of the cells' maxima (Xiao, Xiong, Yuan 2010,
// Definition 4.1 and section 7). Immutable, thread-safe.
class CellExtremes {
 public:
  static constexpr std::uint32_t kMostExtremeCells = std::uint32_t{1} << 16U;

  // With probability at least 1 - delta, the following holds for every cell that shows an extreme. The cell has at
  // least k = within_cell().rank() rows. Its released extreme is not beyond the true one, and has at most 2(k-1) rows
  // beyond it. Errors: kInvalidArgument, kDomainTooLarge, kOverflow.
  static Result<CellExtremes> create(Extreme extreme, const Epsilon& epsilon, Neighbours neighbours,
                                     std::uint32_t cells, std::uint32_t values, double delta);

  // Refuses no row: a row of a cell that does not exist is counted nowhere, and a value outside the domain counts as
  // the largest. Errors: kInvalidArgument for an empty `rows` if the number of rows is public. Throws EntropyError.
  Result<ReleasedExtremes> release(std::span<const CellRow> rows, BitSource& bits) const;

  // Returns k plus a bound that holds for the noise of every count. A cell with a smaller noisy count shows no extreme.
  std::int64_t fewest_rows() const { return fewest_rows_; }
  // Return the laws, for audits: the noise of the counts, and the selection within a cell.
  const LaplaceMechanism& counts() const { return counts_; }
  const RankedExtreme& within_cell() const { return within_cell_; }

 private:
  CellExtremes(Extreme extreme, Neighbours neighbours, std::uint32_t cells, LaplaceMechanism counts,
               RankedExtreme within_cell, std::int64_t fewest_rows)
      : extreme_(extreme),
        neighbours_(neighbours),
        cells_(cells),
        counts_(counts),
        within_cell_(within_cell),
        fewest_rows_(fewest_rows) {}
  Extreme extreme_;
  Neighbours neighbours_;
  std::uint32_t cells_;
  LaplaceMechanism counts_;
  RankedExtreme within_cell_;
  std::int64_t fewest_rows_;
};

}  // namespace hearsay::central
