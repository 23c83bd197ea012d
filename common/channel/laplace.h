// The channel `laplace`: the law of the randomizer (15) of Aldà and Simon (2014), and the code that draws from it.
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

// y_j = clamp(a_j(x) + Y_j, -bound, bound), with independent Y_j and Pr[Y_j = k] ∝ exp(-|k|/t_j). The scales t_j are
// exact rationals, shared by the coordinates of an attribute. The law, the bounds and the sampler all read the same
// integers.
//
// Scales of kTight: on literals, attribute b with L1 sensitivity Δ_b has t_b = Δ_b·Σshares/(ε·share_b), so Σ_b Δ_b/t_b
// = ε exactly. Characters and explicit vectors have no shares, since their coordinates do not belong to one attribute
// each; all scales are Δ/ε.
//
// Scales of kPaper: on literals, the paper's homogeneous embedding has d+1 coordinates (24). In ±1 units t =
// (2/ε)√(2d(d+1)), rounded up to a multiple of 2/(2^16·ε). The last coordinate is a public constant, so y_d holds only
// its noise. No estimate needs y_d; y_d is part of the paper's scheme, which this calibration reproduces for
// comparison. On explicit vectors, kPaper uses the scale of (15). The paper's vectors have norm 1. For vectors with R
// as the largest norm, t = (2/ε)·R√d, rounded up in the same way.
class LaplaceChannel {
 public:
  // Errors: kInvalidArgument (shares that are not one number from 1 to kMaxShare for each attribute; shares for kPaper,
  // characters or explicit vectors; kPaper over characters), kLimitExceeded (the arrangement has more than
  // kMaxCoordinates coordinates, or Characters::sensitivity() fails), kScaleTooLarge (a bound would exceed kMaxBound),
  // kOverflow (an exact scale does not fit 64-bit integers).
  static Result<LaplaceChannel> create(const LaplaceSpec& spec, const Arrangement& arrangement, const Epsilon& epsilon);
  // Returns the same law with other scales, one for each coordinate, for audits of what a wrong scale would reveal.
  // Bounds follow the scales. Errors: kInvalidArgument (another number of scales, or a scale of 0), kScaleTooLarge.
  Result<LaplaceChannel> with_scales(std::span<const Rational> scales) const;

  static constexpr std::int64_t kMaxBound = (std::int64_t{1} << 31U) - 1;
  static constexpr std::uint32_t kMaxShare = 1U << 20U;
  static constexpr std::size_t kMaxCoordinates = 65'536;  // the most coordinates of the arrangement

  // Returns the number of coordinates in a report: the arrangement's d, or d+1 for kPaper on literals.
  std::size_t coordinates() const { return coordinates_.size(); }
  LaplaceCalibration calibration() const { return calibration_; }
  Rational scale(std::size_t j) const { return laws_[coordinates_[j].law].scale(); }
  // Returns the bound: an honest report has |y_j| <= bound(j). In an honest report the clamp binds with probability
  // below 2^-64.
  std::int64_t bound(std::size_t j) const { return coordinates_[j].bound; }
  // Returns the largest |a_j(x)| of the arrangement: 1, except for explicit vectors.
  int largest_entry() const { return largest_entry_; }
  // Returns Var Y_j = 1/(2 sinh²(1/(2 t_j))), for statistics.
  double noise_variance(std::size_t j) const { return laws_[coordinates_[j].law].variance(); }

  // One probability of the exact law. With q = exp(-1/t_j), Pr[y_j = y | a_j = a] is q^power/(1+q) at the ends y =
  // ±bound, and (1-q)·q^power/(1+q) between them. This probability is positive for every |y| <= bound. The factor
  // before q^power does not depend on a. So the log-ratio of two records at y is the difference of their powers,
  // divided by t_j.
  struct Atom {
    bool end;
    std::int64_t power;
  };
  // Returns the Atom of Pr[y_j = y | a_j = a]. |a| is at most largest_entry() (0 for kPaper's last coordinate on
  // literals), and |y| <= bound(j).
  Atom atom(std::size_t j, int a, std::int64_t y) const;

  // The sampler has two steps, so that the randomness is drawn before the record is looked at: first Y, then y =
  // clamp(a + Y). `noise` and `out` have coordinates() elements. `embedding` is a(x), with the arrangement's d
  // elements.
  void draw_noise(BitSource& bits, std::span<std::int64_t> noise) const;  // throws EntropyError
  void add_noise(std::span<const std::int8_t> embedding, std::span<const std::int64_t> noise,
                 std::span<std::int32_t> out) const;
  // Takes both steps in this order: draws all noise before it reads the first element of `embedding`. Throws
  // EntropyError.
  void randomize(std::span<const std::int8_t> embedding, BitSource& bits, std::span<std::int32_t> out) const;

  // Returns the number of bytes of a packed report; see common/channel/format.md.
  std::size_t payload_size() const { return payload_size_; }
  // Packs a report. `y` must be within the bounds, and `payload` must have payload_size() bytes.
  void pack(std::span<const std::int32_t> y, std::span<std::uint8_t> payload) const;
  // Reads a payload. Accepts exactly the payloads that pack() can write. Errors: kReportWrongSize, kReportOutOfBounds
  // (a coordinate beyond its bound, or a padding bit that is set). After an error the content of `y` is unspecified.
  Result<void> unpack(std::span<const std::uint8_t> payload, std::span<std::int32_t> y) const;
  // Returns success if unpack() accepts the payload, and unpack()'s error otherwise. Allocates nothing.
  Result<void> check(std::span<const std::uint8_t> payload) const;

 private:
  struct Coordinate {
    std::uint32_t law;    // index into laws_
    std::uint32_t width;  // the number of bits of the coordinate's zigzag code
    std::int64_t bound;
  };
  LaplaceChannel() = default;
  // Calls take(j, code) for every coordinate of a payload. Errors: as unpack().
  template <class Take>
  Result<void> for_each_code(std::span<const std::uint8_t> payload, const Take& take) const;
  static Result<LaplaceChannel> from_scales(LaplaceCalibration calibration, int largest_entry,
                                            std::span<const Rational> scales);

  LaplaceCalibration calibration_ = LaplaceCalibration::kTight;
  int largest_entry_ = 1;
  // One element for each distinct scale.
  std::vector<DiscreteLaplace> laws_;
  std::vector<Coordinate> coordinates_;
  std::size_t payload_size_ = 0;
};

}  // namespace hearsay
