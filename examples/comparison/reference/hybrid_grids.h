// Boxes on two ordered attributes by grids: HDG.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hearsay::examples {

// Yang, Wang, Li, Cheng and Su, "Answering multi-dimensional range queries under local differential privacy" (PVLDB
// 2020), for two attributes. A third of the people reports each of three grids: either attribute in `fine` intervals,
// and both in coarse×coarse cells. Then, in their order: estimates are made non-negative and consistent with each
// other; from the grids a response matrix is built by weighted updates; a cell of the domain gets its share of the
// matrix's cell. The last two assume that people are spread evenly where the grids do not tell, so the answers are
// biased by what is not, and have no variance in closed form.
//
// The paper's oracle is optimal local hashing; we take optimised unary encoding, of the same variance, as the authors'
// own program does. Everybody draws a grid.
//
// For made-up people only: the randomness is no cryptographic one.
class HybridGrids {
 public:
  // Granularities by the paper's guideline for `users` (α1 = 0.7, α2 = 0.03), rounded to a power of two, from 2 up to
  // the smaller attribute. `sizes`: numbers of values, at least 2.
  static HybridGrids create(std::array<std::uint32_t, 2> sizes, double epsilon, std::uint64_t users);

  std::uint32_t fine() const { return fine_; }
  std::uint32_t coarse() const { return coarse_; }

  // The three grids: the first attribute's intervals, the second's, and the coarse cells by rows.
  using Grids = std::array<std::vector<double>, 3>;

  // In which part of each grid a person is whose values are in `cell`, first attribute·size of the second + second.
  std::array<std::uint32_t, 3> parts_of(std::uint32_t cell) const;
  // Estimates of the cells from those of the grids.
  std::vector<double> cells(Grids grids) const;

  // One run: estimates of the cells; `histogram` counts the people by cell. NaN if nobody drew some grid.
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

// Norm-Sub: negative estimates become 0 and the others are lowered (or raised) alike, until all add up to 1.
void make_distribution(std::vector<double>& estimates);

}  // namespace hearsay::examples
