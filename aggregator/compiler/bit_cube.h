// Functions on the bit patterns of several attributes' values, and their Walsh–Hadamard transform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/arrangement/character_index.h"

namespace hearsay::compiler {

// All combinations of bit patterns, one pattern for each attribute. A combination is a cell; the last attribute's bits
// are the lowest of the cell's number. A pattern beyond the attribute's last value stands for no value, and a cell with
// such a pattern is padding. Combinations of masks, one for each attribute and possibly 0, have numbers of the same
// form. So the transform maps functions on cells to functions on cells.
class BitCube {
 public:
  struct Axis {
    std::uint32_t attribute;
    std::uint32_t values;
    std::uint32_t shift;  // the place of its lowest bit in a cell's number
    std::uint32_t ones;   // 2^bits - 1
  };

  // `attributes` ascend and have 26 bits at most together.
  BitCube(const Schema& schema, std::span<const std::uint32_t> attributes);

  std::span<const Axis> axes() const { return axes_; }
  std::size_t size() const { return size_; }
  // Returns an axis's pattern, or mask, in a cell.
  static std::uint32_t pattern(const Axis& axis, std::size_t cell) {
    return static_cast<std::uint32_t>(cell >> axis.shift) & axis.ones;
  }
  bool is_padding(std::size_t cell) const;
  bool has_padding() const;
  // Returns the set of axes whose mask is not 0: bit i for axis i.
  std::uint32_t support(std::size_t masks) const;
  // Returns the attributes of a set of axes.
  std::vector<std::uint32_t> attributes(std::uint32_t set) const;
  // The coordinates of `characters` on exactly the attributes of `set`. coordinates() returns how many there are.
  // masks() returns the masks of number `at` < coordinates(set), in the coordinates' order, as the number of a cell.
  std::size_t coordinates(std::uint32_t set) const;
  std::size_t masks(std::uint32_t set, std::size_t at) const;

  // Changes f on the padding so that Σ_{masks} variance[support]·g² is least, where g is the transform of f.
  // variance[0] does not count. If all variances are equal, the padding gets the mean of f over the other cells.
  //
  // The sum is a positive definite quadratic form in the padding, since only constants have g = 0 on all other masks.
  // Conjugate gradients find its minimum to about 1e-15 of f. Each step costs two transforms. Apart from rounding, k
  // axes with padding need at most 5 steps for k = 2 and 19 for k = 3, whatever the sizes: see the .cc.
  void fill_padding(std::span<const double> variance, std::span<double> f, Work& work) const;
  // Returns the cost of fill_padding() and one transform.
  Cost cost_of_filling() const;
  std::uint64_t steps_of_transform() const;

 private:
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

// Computes g[m] = Σ_c f[c]·(-1)^popcount(m & c) in place. The size must be a power of two. The transform is its own
// inverse up to the factor 1/size.
void walsh_hadamard(std::span<double> f);
void walsh_hadamard(std::span<double> f, Work& work);

}  // namespace hearsay::compiler
