// The weights g of all cells of a contingency table at once, as functions of the cell.
//
// Why this works. The compiler continues a cell to bit patterns without a value. The continuation depends only on which
// patterns are the cell's own, since the variances in the compiler's objective depend on attributes alone, and the
// values of an attribute may be renamed. So for every cell c, on the cube of bit patterns,
//   f_c(z) = Σ of 3^q products, for each attribute δ(z_i = c_i), [z_i is a value] or 1, with coefficients free of c.
// So g_j(c), for a coordinate j on T, is a polynomial in the signs s_i = χ_{mask_i}(c_i), i ∈ T:
//   g_j(c) = Σ_{U ⊆ T} β_{T,U}·Π_{i ∈ T∖U} v_i(mask_i)·Π_{i ∈ U} s_i,  v_i the transform of [z_i is a value].
// Sums over coordinates of such polynomials, or of their products, are functions of c with one coefficient for each
// combination of masks. One Walsh–Hadamard transform evaluates such a function at all cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/bit_cube.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/characters.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

class CellWeights {
 public:
  // A function of the cell: one coefficient for every combination of masks, numbered as in BitCube.
  using CellFunction = std::vector<double>;

  // Compiles one cell, on `characters`. `attributes` ascend; there are 1 to the order of them. Errors: those of the
  // compiler, kLimitExceeded if 3^(number of attributes) exceeds 2^24.
  static Result<CellWeights> create(const Task& task, std::span<const std::uint32_t> attributes, compiler::Work& work);

  const compiler::BitCube& cube() const { return cube_; }
  CellFunction zero() const { return CellFunction(cube_.size(), 0); }
  double offset() const { return offset_; }  // of every cell

  // The functions below name a coordinate by its set T of attributes, bit i for the i-th, and by its masks as a cell
  // number. A function of signs is 2^|T| numbers; bit i of the index is 1 where the i-th attribute of T has sign -1.

  // Returns the steps of weights(), add() and add_square().
  std::uint64_t steps_of(std::uint32_t set) const;
  // Returns g_j for all signs.
  std::vector<double> weights(std::uint32_t set, std::size_t masks) const;
  // Adds scale·g_j(c), or scale·g_j(c)².
  void add(std::uint32_t set, std::size_t masks, double scale, CellFunction& to) const;
  void add_square(std::uint32_t set, std::size_t masks, double scale, CellFunction& to) const;
  // Adds a function of the signs.
  void add_function(std::uint32_t set, std::size_t masks, std::vector<double> of_signs, CellFunction& to) const;
  // Returns Σ g_j² over the coordinates on T, which is the same for all cells.
  double norm(std::uint32_t set) const;

  // Returns the function's values at the table's cells, the last attribute's value changing fastest.
  std::vector<double> at_cells(CellFunction function) const;

 private:
  CellWeights(const Task& task, std::span<const std::uint32_t> attributes);
  Result<void> find_coefficients(const Task& task, std::span<const std::uint32_t> attributes, compiler::Work& work);
  std::vector<double> polynomial(std::uint32_t set, std::size_t masks) const;

  compiler::BitCube cube_;
  double offset_ = 0;
  // β, indexed by one digit of base 3 for each attribute, the last attribute's lowest: 0 in U, 1 in T but not in U, 2
  // not in T. β contains the factors 2^-b of the transform.
  std::vector<double> beta_;
  std::vector<std::vector<double>> value_transform_;  // per attribute: v_i by mask
};

}  // namespace hearsay::estimator
