// Functions on the bit patterns of several attributes' values, and their Walsh–Hadamard transform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "common/arrangement/character_index.h"

namespace hearsay::compiler {

// All combinations of bit patterns, one per attribute; the last attribute's bits are the lowest of a cell's number.
// Patterns beyond the attribute's last value stand for nothing: a cell with such a pattern is padding. Masks, one per
// attribute and possibly 0, are numbered likewise, so the transform maps functions on cells to functions on cells.
class BitCube {
 public:
  struct Axis {
    std::uint32_t attribute;
    std::uint32_t values;
    std::uint32_t shift;  // the place of its lowest bit in a cell's number
    std::uint32_t ones;   // 2^bits - 1
  };

  // Attributes ascending, with 26 bits at most.
  BitCube(const Schema& schema, std::span<const std::uint32_t> attributes);

  std::span<const Axis> axes() const { return axes_; }
  std::size_t size() const { return size_; }
  // An axis's pattern, or mask, in a cell.
  static std::uint32_t pattern(const Axis& axis, std::size_t cell) {
    return static_cast<std::uint32_t>(cell >> axis.shift) & axis.ones;
  }
  bool is_padding(std::size_t cell) const;
  bool has_padding() const;
  // The set of axes with a mask other than 0, bit i for axis i.
  std::uint32_t support(std::size_t masks) const;
  // The attributes of a set of axes.
  std::vector<std::uint32_t> attributes(std::uint32_t set) const;
  // The coordinates of `characters` on exactly these attributes: how many there are, and the masks of one of them as
  // the number of a cell. `at` < coordinates(set), in the order of the coordinates.
  std::size_t coordinates(std::uint32_t set) const;
  std::size_t masks(std::uint32_t set, std::size_t at) const;

  // Gives the padding those values that minimise Σ_{masks} variance[support]·g², g the transform of f; variance[0] does
  // not count. Those of the other cells are kept. Equal variances: the mean of f over the other cells.
  //
  // The sum is a positive definite quadratic form in the padding (only constants have g = 0 elsewhere). Its minimum is
  // found by conjugate gradients to about 1e-15 of f; in k axes with padding their number is at most 5 for k = 2 and 19
  // for k = 3, whatever the sizes, but for rounding: see the .cc. Each costs two transforms.
  void fill_padding(std::span<const double> variance, std::span<double> f, Work& work) const;
  // Of fill_padding(), and of a transform.
  Cost cost_of_filling() const;
  std::uint64_t steps_of_transform() const;

 private:
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

// g[m] = Σ_c f[c]·(-1)^popcount(m & c), in place. The size must be a power of two. Its own inverse but for a factor.
void walsh_hadamard(std::span<double> f);
void walsh_hadamard(std::span<double> f, Work& work);

}  // namespace hearsay::compiler
