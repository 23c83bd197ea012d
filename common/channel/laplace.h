// The channel `laplace`: the law of the paper's randomizer (15) and the code that draws from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "common/base/rational.h"
#include "common/privacy/discrete_laplace.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"
#include "hearsay/mechanism.h"

namespace hearsay {

// y_j = clamp(a_j(x) + Y_j, -bound, bound), the Y_j independent, Pr[Y_j = k] ∝ exp(-|k|/t_j). The scales t_j are exact
// rationals, shared by the coordinates of an attribute, and everything below reads the same integers.
//
// kTight: t_b = Δ_b·Σshares/(ε·share_b), so Σ_b Δ_b/t_b = ε exactly.
// kPaper: the paper's homogeneous embedding has d+1 coordinates (24); in ±1 units t = (2/ε)√(2d(d+1)), rounded up to a
// multiple of 2/(2^16·ε). The last coordinate is public but for its noise, so y_d is the noise alone. It needs neither
// noise nor a place in the report; it has both because this calibration is the printed scheme, for comparison.
class LaplaceChannel {
 public:
  // Errors: kInvalidArgument (shares), kScaleTooLarge if a bound would exceed kMaxBound.
  static Result<LaplaceChannel> create(const LaplaceSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon);
  // The same law with other scales, one per coordinate: for audits of what a wrong scale would reveal.
  Result<LaplaceChannel> with_scales(std::span<const Rational> scales) const;

  static constexpr std::int64_t kMaxBound = (std::int64_t{1} << 31U) - 1;

  // Coordinates in a report: the arrangement's d, or d+1 for kPaper.
  std::size_t coordinates() const { return coordinates_.size(); }
  LaplaceCalibration calibration() const { return calibration_; }
  const Rational& scale(std::size_t j) const;
  // An honest report has |y_j| <= bound(j). The clamp binds in an honest report with probability below 2^-64.
  std::int64_t bound(std::size_t j) const;
  // Var Y_j = 1/(2 sinh²(1/(2 t_j))), for statistics.
  double noise_variance(std::size_t j) const;

  // Draws y for the embedding a(x) (arrangement's d elements, ±1). All noise is drawn before the first element of
  // `embedding` is read. `out` has coordinates() elements. Throws EntropyError.
  void randomize(std::span<const std::int8_t> embedding, BitSource& bits, std::span<std::int32_t> out) const;

  // Bytes of a packed report; see common/channel/format.md.
  std::size_t payload_size() const { return payload_size_; }
  void pack(std::span<const std::int32_t> y, std::span<std::uint8_t> payload) const;
  // Errors: kReportWrongSize, kReportOutOfBounds (a coordinate beyond its bound, or a padding bit that is set).
  Result<void> unpack(std::span<const std::uint8_t> payload, std::span<std::int32_t> y) const;

 private:
  struct Coordinate {
    std::uint32_t law;    // index into laws_
    std::uint32_t width;  // bits of its zigzag code
    std::int64_t bound;
  };
  LaplaceChannel() = default;
  LaplaceCalibration calibration_ = LaplaceCalibration::kTight;
  std::vector<DiscreteLaplace> laws_;  // the distinct ones
  std::vector<Coordinate> coordinates_;
  std::size_t payload_size_ = 0;
};

}  // namespace hearsay
