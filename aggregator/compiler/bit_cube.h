// Functions on the bit patterns of several attributes' values, and their Walsh–Hadamard transform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/arrangement/character_index.h"

namespace hearsay::compiler {

// All combinations of bit patterns, one pattern for each attribute. A combination is a cell. The cell's number consists
// of the patterns side by side, with the last attribute's pattern in the lowest bits. A pattern beyond the attribute's
// last value stands for no value. A cell with such a pattern is padding. A combination of masks, one for each attribute
// and possibly 0, is numbered like a cell. So the transform maps functions on cells to functions on cells.
class BitCube {
 public:
  struct Axis {
    std::uint32_t attribute;
    std::uint32_t values;
    std::uint32_t shift;  // the place of the pattern's lowest bit in a cell's number
    std::uint32_t ones;   // 2^bits - 1
  };

  // `attributes` must ascend. The bit patterns of all `attributes` together must have fewer than 32 bits.
  BitCube(const Schema& schema, std::span<const std::uint32_t> attributes);

  std::span<const Axis> axes() const { return axes_; }
  std::size_t size() const { return size_; }
  // Returns the part of `cell` that belongs to one axis: a pattern, or a mask if `cell` is a combination of masks.
  static std::uint32_t pattern(const Axis& axis, std::size_t cell) {
    return static_cast<std::uint32_t>(cell >> axis.shift) & axis.ones;
  }
  bool is_padding(std::size_t cell) const;
  bool has_padding() const;
  // Returns the set of axes that have a mask other than 0: bit i for axis i.
  std::uint32_t support(std::size_t masks) const;
  // Returns the attributes of a set of axes.
  std::vector<std::uint32_t> attributes(std::uint32_t set) const;
  // A coordinate of `characters` is the parity of the bits in its masks. coordinates() returns how many coordinates
  // there are on exactly the attributes of the axes in `set`. masks() returns the masks of one of these coordinates as
  // one number, in the numbering of cells. `at` is the position of the coordinate among these coordinates, from 0.
  std::size_t coordinates(std::uint32_t set) const;
  std::size_t masks(std::uint32_t set, std::size_t at) const;

  // Changes f on the padding so that Σ_masks variance[support(masks)]·g[masks]² is least, where g is the transform of
  // f. variance[0] does not count. If all variances are equal, the padding gets the mean of f over the other cells.
  //
  // Conjugate gradients find the minimum with an error of about 1e-15 of f. Each step costs two transforms. If all axes
  // have padding, and apart from rounding, two axes need at most 5 steps, and three axes at most 19 steps. NoiseForm in
  // bit_cube.cc says why.
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
