// A bounded interval of reals cut into 2^b cells: the only real domain that central releases accept.
#pragma once

#include <cstdint>
#include <optional>

#include "hearsay/result.h"

namespace hearsay::central {

// [low, high] in 2^bits cells of equal width, numbered from 0. `high` itself is in the last cell. Immutable,
// thread-safe.
//
// Why a grid: by Theorem 5.1 of Blum, Ligett, Roth 2008, no ε-differentially private release is useful for medians, and
// so for intervals, on a continuous domain. Each value of the median would need positive probability on every database,
// and uncountably many values cannot have that. The same holds for a domain without bounds.
class Grid {
 public:
  static constexpr unsigned kMostBits = 52;

  // Errors: kInvalidArgument, with the reason above, if an end is infinite or `bits` is missing (the domain is
  // continuous). Also for NaN, low >= high, high - low beyond doubles, or bits outside [1, 52].
  static Result<Grid> create(double low, double high, std::optional<unsigned> bits);

  unsigned bits() const { return bits_; }
  std::uint64_t cells() const { return std::uint64_t{1} << bits_; }

  // Returns the cell that holds x. No value is refused, since a refusal would tell the value. Below `low`, and for NaN,
  // returns the first cell; above `high`, the last.
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
