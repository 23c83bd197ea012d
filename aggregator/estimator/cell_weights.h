// The weights g of all cells of a contingency table at once, as functions of the cell. The estimate of a cell's
// fraction is offset + Σ_j g_j·m̂_j, where m̂_j is the estimated mean of coordinate j.
//
// The following shows that one compiled cell gives all weights. A cell c is one value of each of q attributes. The
// compiler extends the function [the record is in c] to bit patterns that stand for no value. For each attribute, the
// extension depends only on whether a pattern is the cell's own value, another value, or no value. (The variances in
// the compiler's objective depend on attributes alone, so values may be renamed.) So for every cell c the function on
// the cube of bit patterns is
//   f_c(z) = Σ of 3^q products, with one factor for each attribute i: δ(z_i = c_i), [z_i is a value] or 1.
// The coefficients of the products do not depend on c. So g_j(c), for a coordinate j on the set T of attributes, is a
// polynomial in the signs s_i = (-1)^popcount(mask_i & c_i), i ∈ T:
//   g_j(c) = Σ_{U ⊆ T} β_{T,U}·Π_{i ∈ T∖U} v_i(mask_i)·Π_{i ∈ U} s_i, where v_i is the transform of [z_i is a value].
// A sum of such polynomials (or of products of two of them) over the coordinates is a function of c with one
// coefficient for each combination of masks. One Walsh–Hadamard transform evaluates such a function at all cells.
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

  // Compiles one cell, from which the weights of all cells follow. The arrangement must be `characters`. `attributes`
  // must ascend, and must have from 1 to order() elements. Errors: those of the compiler, kLimitExceeded (more than 15
  // attributes).
  static Result<CellWeights> create(const Task& task, std::span<const std::uint32_t> attributes, compiler::Work& work);

  const compiler::BitCube& cube() const { return cube_; }
  CellFunction zero() const { return CellFunction(cube_.size(), 0); }
  double offset() const { return offset_; }  // the same for every cell

  // The functions below name a coordinate by its set T of attributes (bit i for the i-th) and by its masks (numbered
  // like a cell, see BitCube). A function of the signs is 2^|T| numbers. Bit i of the index is 1 if the i-th attribute
  // of T has the sign -1.

  // Returns the steps of weights(), add() and add_square().
  std::uint64_t steps_of(std::uint32_t set) const;
  // Returns g_j as a function of the signs.
  std::vector<double> weights(std::uint32_t set, std::size_t masks) const;
  // Adds scale·g_j(c), or scale·g_j(c)², to the cell function `to`.
  void add(std::uint32_t set, std::size_t masks, double scale, CellFunction& to) const;
  void add_square(std::uint32_t set, std::size_t masks, double scale, CellFunction& to) const;
  // Adds a function of the signs to `to`.
  void add_function(std::uint32_t set, std::size_t masks, std::vector<double> of_signs, CellFunction& to) const;
  // Returns Σ_j g_j² over the coordinates on T. The sum is the same for all cells.
  double norm(std::uint32_t set) const;

  // Returns the function's values at the table's cells, the last attribute's value changing fastest.
  std::vector<double> at_cells(CellFunction function) const;

 private:
  CellWeights(const Task& task, std::span<const std::uint32_t> attributes);
  Result<void> find_coefficients(const Task& task, std::span<const std::uint32_t> attributes, compiler::Work& work);
  std::vector<double> polynomial(std::uint32_t set, std::size_t masks) const;

  compiler::BitCube cube_;
  double offset_ = 0;
  // The coefficients β_{T,U}, including the factors 2^-b of the transform. The index has one digit of base 3 for each
  // attribute: 0 for an attribute in U, 1 for an attribute in T but not in U, 2 for an attribute outside T. The last
  // attribute's digit is the lowest.
  std::vector<double> beta_;
  std::vector<std::vector<double>> value_transform_;  // per attribute: v_i by mask
};

}  // namespace hearsay::estimator
