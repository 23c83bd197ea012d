// A finite set of halfspaces of R^k: every halfspace is near a member of the set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::central {

// The integer vectors on the surface of the cube [-L, L]^k. There are (2L+1)^k - (2L-1)^k vectors. Every direction is
// within radius() of a vector. Immutable, thread-safe.
class HalfspaceNet {
 public:
  static constexpr std::uint64_t kMost = 1'000'000;

  // `dimension` k >= 1, `resolution` L >= 1. Errors: kInvalidArgument; kDomainTooLarge above kMost vectors.
  static Result<HalfspaceNet> create(std::uint32_t dimension, std::uint32_t resolution);
  // Returns the coarsest net with at most this radius. In Blum, Ligett, Roth 2008 the radius is (3/4)γ. Errors:
  // kInvalidArgument unless 0 < radius <= 1; those of create().
  static Result<HalfspaceNet> with_radius(std::uint32_t dimension, double radius);

  std::uint32_t dimension() const { return dimension_; }
  std::uint32_t resolution() const { return resolution_; }
  std::uint64_t size() const { return size_; }
  // Returns a bound on the sine of the angle between a direction and the vector that near() gives: √(k-1)/(2L). Why:
  // near() stretches the direction until its largest coordinate is ±L, and then rounds the k-1 others by at most 1/2.
  double radius() const;

  // Returns the vector of number `index` (below size()).
  std::vector<std::int32_t> at(std::uint64_t index) const;
  // Returns the number of a vector within radius() of the given direction (k finite coordinates). This vector need not
  // be the nearest one. Returns 0 if all coordinates are 0.
  std::uint64_t near(std::span<const double> direction) const;

 private:
  HalfspaceNet(std::uint32_t dimension, std::uint32_t resolution, std::uint64_t size)
      : dimension_(dimension), resolution_(resolution), size_(size) {}
  std::uint32_t dimension_;
  std::uint32_t resolution_;
  std::uint64_t size_;
};

}  // namespace hearsay::central
