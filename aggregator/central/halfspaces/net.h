// Finitely many halfspaces of R^k, one near every other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::central {

// The integer vectors on the surface of the cube [-L, L]^k: (2L+1)^k - (2L-1)^k of them. Every direction is within
// radius() of one. Immutable, thread-safe.
class HalfspaceNet {
 public:
  static constexpr std::uint64_t kMost = 1'000'000;

  // `dimension` k >= 1, `resolution` L >= 1. Errors: kInvalidArgument; kDomainTooLarge above kMost vectors.
  static Result<HalfspaceNet> create(std::uint32_t dimension, std::uint32_t resolution);
  // The coarsest net with at most that radius, which is (3/4)γ in Blum, Ligett, Roth 2008. Errors: kInvalidArgument
  // unless 0 < radius <= 1; as above.
  static Result<HalfspaceNet> with_radius(std::uint32_t dimension, double radius);

  std::uint32_t dimension() const { return dimension_; }
  std::uint32_t resolution() const { return resolution_; }
  std::uint64_t size() const { return size_; }
  // Bounds the sine of the angle between a direction and near() of it: √(k-1)/(2L). Stretched to max-norm L, its other
  // k-1 coordinates are rounded by at most 1/2.
  double radius() const;

  // Vector number index < size().
  std::vector<std::int32_t> at(std::uint64_t index) const;
  // The number of a vector within radius() of a direction of k finite coordinates; not always the nearest. Of 0: 0.
  std::uint64_t near(std::span<const double> direction) const;

 private:
  HalfspaceNet(std::uint32_t dimension, std::uint32_t resolution, std::uint64_t size)
      : dimension_(dimension), resolution_(resolution), size_(size) {}
  std::uint32_t dimension_;
  std::uint32_t resolution_;
  std::uint64_t size_;
};

}  // namespace hearsay::central
