// A bounded interval of reals cut into 2^b cells. Central releases of intervals and boxes accept reals only in this
// form.
#pragma once

#include <cstdint>
#include <optional>

#include "hearsay/result.h"

namespace hearsay::central {

// [low, high] in 2^bits cells of equal width, numbered from 0. The last cell includes `high`. Immutable, thread-safe.
//
// Why a grid: by Theorem 5.1 of Blum, Ligett, Roth 2008, no ε-differentially private release is useful for medians on a
// continuous domain. The same follows for intervals. Each value of the median would need positive probability on every
// database, but uncountably many values cannot all have positive probability. An unbounded domain has the same problem.
class Grid {
 public:
  static constexpr unsigned kMostBits = 52;

  // Errors: kInvalidArgument if an end is infinite or `bits` is missing (a continuous domain); the text gives the
  // reason above. Also kInvalidArgument for NaN, low >= high, high - low beyond the largest double, or bits outside [1,
  // 52].
  static Result<Grid> create(double low, double high, std::optional<unsigned> bits);

  unsigned bits() const { return bits_; }
  std::uint64_t cells() const { return std::uint64_t{1} << bits_; }

  // Returns the cell that holds x. Refuses no value. Returns the first cell for x below `low` and for NaN, and the last
  // cell for x above `high`.
  std::uint64_t cell(double x) const;
  // Returns the left end of a cell. left_end(cells()) is `high`.
  double left_end(std::uint64_t cell) const;

 private:
  Grid(double low, double high, unsigned bits) : low_(low), high_(high), bits_(bits) {}
  double low_;
  double high_;
  unsigned bits_;
};

}  // namespace hearsay::central
