// Symbols: ε = epsilon, Δ = the arrangement's L1 sensitivity, Δ_b = that of attribute b, t = scale, d = dimension of
// the arrangement (the paper's k in section 6), R = the largest Euclidean norm of explicit vectors.

#include "common/channel/laplace.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <string>

#include "common/base/int128.h"
#include "common/base/number_text.h"
#include "common/base/try.h"

namespace hearsay {
namespace {

constexpr unsigned kPaperFractionBits = 16;

Result<Rational> inverse(const Epsilon& epsilon) { return Rational::create(epsilon.den(), epsilon.num()); }

Result<void> check_shares(std::span<const std::uint32_t> shares, std::size_t attributes) {
  if (shares.size() != attributes) {
    return Error{ErrorCode::kInvalidArgument,
                 "the number of shares must be the number of attributes, " + std::to_string(attributes)};
  }
  for (const std::uint32_t share : shares) {
    if (share == 0 || share > LaplaceChannel::kMaxShare) {
      return Error{ErrorCode::kInvalidArgument,
                   "a share must be an integer from 1 to " + std::to_string(LaplaceChannel::kMaxShare)};
    }
  }
  return {};
}

// Returns the scale Δ/ε for every coordinate.
Result<std::vector<Rational>> common_scale(std::uint64_t sensitivity, std::size_t dimension, const Epsilon& epsilon) {
  HEARSAY_TRY(const Rational per_unit, inverse(epsilon));
  HEARSAY_TRY(const Rational distance, Rational::create(sensitivity, 1));
  HEARSAY_TRY(const Rational scale, distance.times(per_unit));
  return std::vector<Rational>(dimension, scale);
}

// Two embeddings differ in attribute b by at most Δ_b, and changing a_j by k multiplies a probability by at most
// exp(k/t). So the largest log-ratio is Σ_b Δ_b/t_b = Σ_b ε·share_b/Σshares = ε. With shares equal to the Δ_b, every
// coordinate has the scale Δ/ε.
Result<std::vector<Rational>> tight_scales(std::span<const std::uint32_t> shares, const Literals& literals,
                                           const Epsilon& epsilon) {
  if (shares.empty()) return common_scale(literals.sensitivity(), literals.dimension(), epsilon);
  HEARSAY_CHECK_OK(check_shares(shares, literals.blocks().size()));
  HEARSAY_TRY(const Rational per_unit, inverse(epsilon));
  std::vector<Rational> scales(literals.dimension());
  std::uint64_t total = 0;
  for (const std::uint32_t share : shares) total += share;
  for (std::size_t b = 0; b < shares.size(); ++b) {
    const AttributeBlock& block = literals.blocks()[b];
    HEARSAY_TRY(const Rational weight, Rational::create(block.sensitivity * total, shares[b]));  // Δ_b·total < 2^49
    HEARSAY_TRY(const Rational scale, weight.times(per_unit));
    std::fill_n(scales.begin() + static_cast<std::ptrdiff_t>(block.offset), block.size, scale);
  }
  return scales;
}

// Returns the least m with m² >= n, for n <= 2^126.
std::uint64_t ceil_sqrt(Uint128 n) {
  std::uint64_t low = 0;
  std::uint64_t high = std::uint64_t{1} << 63U;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (Uint128{middle} * middle >= n) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Returns t = (2/ε)·m/2^16 with the least m >= 2^16·√square, once for each coordinate. For square < 2^50, m <= 2^41.
Result<std::vector<Rational>> paper_scales(Uint128 square, std::size_t coordinates, const Epsilon& epsilon) {
  const std::uint64_t m = ceil_sqrt(square << (2 * kPaperFractionBits));
  HEARSAY_TRY(const Rational root, Rational::create(m, std::uint64_t{1} << (kPaperFractionBits - 1)));
  HEARSAY_TRY(const Rational per_unit, inverse(epsilon));
  HEARSAY_TRY(const Rational scale, root.times(per_unit));
  return std::vector<Rational>(coordinates, scale);
}

Result<std::vector<Rational>> scales_of(const LaplaceSpec& spec, const Literals& literals, const Epsilon& epsilon) {
  if (spec.calibration == LaplaceCalibration::kTight) return tight_scales(spec.shares, literals, epsilon);
  if (!spec.shares.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the calibration `paper` has one scale and takes no shares"};
  }
  // For d <= 2^16, 2d(d+1) < 2^34.
  const std::size_t d = literals.dimension();
  return paper_scales(Uint128{2} * d * (d + 1), d + 1, epsilon);
}

Result<void> check_coordinates(std::size_t dimension) {
  if (dimension <= LaplaceChannel::kMaxCoordinates) return {};
  return Error{ErrorCode::kLimitExceeded, "every report would have noise on " + with_separators(dimension) +
                                              " coordinates; at most " +
                                              with_separators(LaplaceChannel::kMaxCoordinates) + " are allowed"};
}

Result<std::vector<Rational>> scales_of(const LaplaceSpec& spec, const Characters& characters, const Epsilon& epsilon) {
  if (spec.calibration == LaplaceCalibration::kPaper) {
    return Error{ErrorCode::kInvalidArgument,
                 "the calibration `paper` goes with the arrangement `literals`, not with `characters`"};
  }
  if (!spec.shares.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "shares of ε are for single attributes, and a character combines several: leave the shares out"};
  }
  HEARSAY_CHECK_OK(check_coordinates(characters.dimension()));
  HEARSAY_TRY(const std::uint64_t sensitivity, characters.sensitivity());
  return common_scale(sensitivity, characters.dimension(), epsilon);
}

// kPaper: by Cauchy–Schwarz ‖u_x - u_x'‖₁ <= √d·2R, which is Lemma 8 for vectors whose largest norm is R. d·R² < 2^50.
Result<std::vector<Rational>> scales_of(const LaplaceSpec& spec, const Explicit& vectors, const Epsilon& epsilon) {
  if (!spec.shares.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "shares of ε are for single attributes, and explicit vectors belong to none: leave the shares out"};
  }
  HEARSAY_CHECK_OK(check_coordinates(vectors.dimension()));
  if (spec.calibration == LaplaceCalibration::kTight) {
    return common_scale(vectors.sensitivity(), vectors.dimension(), epsilon);
  }
  return paper_scales(Uint128{vectors.dimension()} * vectors.largest_square(), vectors.dimension(), epsilon);
}

int largest_entry_of(const Explicit& vectors) { return vectors.largest_entry(); }
int largest_entry_of(const Literals&) { return 1; }
int largest_entry_of(const Characters&) { return 1; }

}  // namespace

Result<LaplaceChannel> LaplaceChannel::create(const LaplaceSpec& spec, const Arrangement& arrangement,
                                              const Epsilon& epsilon) {
  HEARSAY_TRY(const std::vector<Rational> scales,
              std::visit([&](const auto& kind) { return scales_of(spec, kind, epsilon); }, arrangement.kind()));
  const int largest_entry = std::visit([](const auto& kind) { return largest_entry_of(kind); }, arrangement.kind());
  return from_scales(spec.calibration, largest_entry, scales);
}

Result<LaplaceChannel> LaplaceChannel::with_scales(std::span<const Rational> scales) const {
  if (scales.size() != coordinates()) {
    return Error{ErrorCode::kInvalidArgument,
                 "the number of scales must be the number of coordinates, " + std::to_string(coordinates())};
  }
  return from_scales(calibration_, largest_entry_, scales);
}

// Let A be the largest |a_j|. The clamp binds at coordinate j only if |Y_j| > bound_j - A. This event has probability
// below 2^-(64 + w + 1), where w is the number of bits of the number c of coordinates. As c < 2^w, the clamp binds
// anywhere in the report with probability below 2^-65.
Result<LaplaceChannel> LaplaceChannel::from_scales(LaplaceCalibration calibration, int largest_entry,
                                                   std::span<const Rational> scales) {
  const unsigned log2_inverse = 64 + static_cast<unsigned>(std::bit_width(scales.size())) + 1;
  LaplaceChannel channel;
  channel.calibration_ = calibration;
  channel.largest_entry_ = largest_entry;
  channel.coordinates_.reserve(scales.size());
  std::map<Rational, Coordinate> known;
  std::size_t payload_bits = 0;
  for (const Rational& scale : scales) {
    auto found = known.find(scale);
    if (found == known.end()) {
      HEARSAY_TRY(const DiscreteLaplace law, DiscreteLaplace::create(scale));
      const std::uint64_t tail = law.tail_bound(log2_inverse);
      if (tail > static_cast<std::uint64_t>(kMaxBound - largest_entry)) {
        return Error{ErrorCode::kScaleTooLarge,
                     "coordinates with noise would be beyond 2^31 - 1: take a larger ε, fewer attributes, smaller "
                     "vectors, or larger shares"};
      }
      const auto bound = static_cast<std::int64_t>(tail) + largest_entry;
      const auto width = static_cast<std::uint32_t>(std::bit_width(2 * static_cast<std::uint64_t>(bound)));
      const auto index = static_cast<std::uint32_t>(channel.laws_.size());
      found = known.emplace(scale, Coordinate{index, width, bound}).first;
      channel.laws_.push_back(law);
    }
    channel.coordinates_.push_back(found->second);
    payload_bits += found->second.width;
  }
  channel.payload_size_ = (payload_bits + 7) / 8;
  return channel;
}

// Between the ends, y = a + Y, so power = |y - a|. The ends collect all of Y >= bound - a or Y <= -bound - a, and Pr[Y
// >= m] = q^m/(1+q) for m >= 0. With bound >= |a|, the powers bound - a and bound + a are |y - a| again.
LaplaceChannel::Atom LaplaceChannel::atom(std::size_t j, int a, std::int64_t y) const {
  return {std::abs(y) == bound(j), std::abs(y - a)};
}

void LaplaceChannel::draw_noise(BitSource& bits, std::span<std::int64_t> noise) const {
  for (std::size_t j = 0; j < coordinates_.size(); ++j) noise[j] = laws_[coordinates_[j].law].sample(bits);
}

void LaplaceChannel::add_noise(std::span<const std::int8_t> embedding, std::span<const std::int64_t> noise,
                               std::span<std::int32_t> out) const {
  const auto clamped = [](std::int64_t value, std::int64_t bound) {
    return static_cast<std::int32_t>(std::clamp(value, -bound, bound));
  };
  for (std::size_t j = 0; j < embedding.size(); ++j) out[j] = clamped(embedding[j] + noise[j], coordinates_[j].bound);
  // This loop writes kPaper's last coordinate on literals. The coordinate's constant is public, so only the noise is
  // sent.
  for (std::size_t j = embedding.size(); j < coordinates_.size(); ++j) {
    out[j] = clamped(noise[j], coordinates_[j].bound);
  }
}

void LaplaceChannel::randomize(std::span<const std::int8_t> embedding, BitSource& bits,
                               std::span<std::int32_t> out) const {
  std::vector<std::int64_t> noise(coordinates_.size());
  draw_noise(bits, noise);
  add_noise(embedding, noise, out);
}

}  // namespace hearsay
