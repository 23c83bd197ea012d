// Estimates boxes on two ordered attributes by grids: HDG.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// Yang, Wang, Li, Cheng and Su, "Answering multi-dimensional range queries under local differential privacy" (PVLDB
// 2020), for two attributes. There are three grids: each attribute alone in `fine` intervals, and both attributes in
// coarse×coarse cells. Each person draws one grid, and reports a part of this grid. Three steps follow. (1) The
// estimates become non-negative and consistent with each other. (2) Weighted updates build a response matrix from the
// grids. (3) Each cell of the domain gets its share of a cell of the matrix. Steps 2 and 3 assume that people are
// spread evenly within the cells of the grids. If people are not spread evenly, the answers are biased. The variance
// has no closed form.
//
// The paper's oracle is optimal local hashing. This class uses optimised unary encoding, as the authors' own program
// does. Both oracles have the same variance.
//
// For made-up people only: the randomness is not cryptographic.
class HybridGrids {
 public:
  // Chooses `fine` and `coarse` by the paper's guideline for `users` (α1 = 0.7, α2 = 0.03), rounded to a power of two
  // between 2 and the smaller attribute's number of values. `sizes`: the attributes' numbers of values, at least 2
  // each.
  static HybridGrids create(std::array<std::uint32_t, 2> sizes, double epsilon, std::uint64_t users);

  std::uint32_t fine() const { return fine_; }
  std::uint32_t coarse() const { return coarse_; }

  // The three grids: the first attribute's intervals, the second attribute's intervals, and the coarse cells by rows.
  using Grids = std::array<std::vector<double>, 3>;

  // Returns the part of each grid that holds `cell`. The number of a cell is first value · size of the second attribute
  // + second value.
  std::array<std::uint32_t, 3> parts_of(std::uint32_t cell) const;
  // Computes the estimates of the cells from the estimates of the grids.
  std::vector<double> cells(Grids grids) const;

  // Lets a population report once, and returns the estimates of the cells: NaN if nobody drew one of the grids.
  // `histogram` counts the people by cell.
  std::vector<double> run(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;

 private:
  HybridGrids(std::array<std::uint32_t, 2> sizes, double epsilon, std::uint32_t fine, std::uint32_t coarse)
      : sizes_(sizes), epsilon_(epsilon), fine_(fine), coarse_(coarse) {}
  void make_consistent(Grids& grids, std::size_t attribute) const;
  std::vector<double> response_matrix(const Grids& grids) const;

  std::array<std::uint32_t, 2> sizes_;
  double epsilon_;
  std::uint32_t fine_;
  std::uint32_t coarse_;
};

// Norm-Sub: sets negative estimates to 0 and shifts all others by the same amount, until all add up to 1.
void make_distribution(std::vector<double>& estimates);

}  // namespace hearsay::examples
