// Symbols: u = a vector, s = a vector of signs, c = the middle of the smallest box that holds all vectors, r_u = ‖2u -
// 2c‖₁. By the triangle inequality 2‖u - u'‖₁ <= r_u + r_u'.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>

#include "common/arrangement/explicit.h"

namespace hearsay {
namespace {

constexpr std::size_t kLanes = 16;  // the inner loops handle this many numbers together
// The most dimensions for by_signs(), which goes through 2^(d-1) vectors of signs. 17·127 fits 16 bits.
constexpr std::size_t kMaxSigned = Explicit::kMaxSigned;
// An addition in by_signs() takes about as long as this many differences in by_pairs().
constexpr std::size_t kSignedStep = 4;

std::size_t padded(std::size_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

// Returns the index of one vector out of each set of equal vectors.
std::vector<std::size_t> different(std::span<const std::int8_t> vectors, std::size_t dimension) {
  const auto compare = [&](std::size_t a, std::size_t b) {
    return std::memcmp(&vectors[a * dimension], &vectors[b * dimension], dimension);
  };
  std::vector<std::size_t> places(vectors.size() / dimension);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
  const auto equal = [&](std::size_t a, std::size_t b) { return compare(a, b) == 0; };
  places.erase(std::unique(places.begin(), places.end(), equal), places.end());
  return places;
}

// Adds `factor` times the column to the products ⟨s,u⟩. Returns the largest product minus the smallest. Compilers turn
// the loops over local arrays of kLanes into vector instructions.
int width_after(std::vector<std::int16_t>& products, const std::vector<std::int16_t>& column, int factor) {
  using Lanes = std::array<std::int16_t, kLanes>;
  Lanes most;
  Lanes least;
  most.fill(std::numeric_limits<std::int16_t>::min());
  least.fill(std::numeric_limits<std::int16_t>::max());
  const auto factor16 = static_cast<std::int16_t>(factor);
  for (std::size_t i = 0; i < products.size(); i += kLanes) {
    Lanes now;
    Lanes added;
    std::memcpy(now.data(), &products[i], sizeof now);
    std::memcpy(added.data(), &column[i], sizeof added);
    for (std::size_t l = 0; l < kLanes; ++l) now[l] = static_cast<std::int16_t>(now[l] + factor16 * added[l]);
    for (std::size_t l = 0; l < kLanes; ++l) most[l] = std::max(most[l], now[l]);
    for (std::size_t l = 0; l < kLanes; ++l) least[l] = std::min(least[l], now[l]);
    std::memcpy(&products[i], now.data(), sizeof now);
  }
  return *std::max_element(most.begin(), most.end()) - *std::min_element(least.begin(), least.end());
}

// ‖w‖₁ = max_s ⟨s,w⟩. s and -s have the same width, so the last sign stays +1. The other signs go through a Gray code:
// each step changes one sign. The columns are padded with entries of the first vector.
std::uint64_t by_signs(std::span<const std::int8_t> vectors, std::size_t dimension,
                       std::span<const std::size_t> places) {
  std::vector<std::vector<std::int16_t>> columns(dimension, std::vector<std::int16_t>(padded(places.size())));
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    const std::size_t place = i < places.size() ? places[i] : places[0];
    for (std::size_t j = 0; j < dimension; ++j) columns[j][i] = vectors[place * dimension + j];
  }
  std::vector<std::int16_t> products(columns[0].size(), 0);
  int widest = 0;
  for (const auto& column : columns) widest = width_after(products, column, 1);
  std::vector<int> signs(dimension, 1);
  for (std::uint32_t step = 1; step < 1U << (dimension - 1); ++step) {
    const auto j = static_cast<std::size_t>(std::countr_zero(step));
    signs[j] = -signs[j];
    widest = std::max(widest, width_after(products, columns[j], 2 * signs[j]));
  }
  return static_cast<std::uint64_t>(widest);
}

// Returns r_u of each vector u: twice the L1 distance of u from c.
std::vector<std::uint64_t> radii_of(std::span<const std::int8_t> vectors, std::size_t dimension,
                                    std::span<const std::size_t> places) {
  std::vector<std::uint64_t> radii(places.size(), 0);
  for (std::size_t j = 0; j < dimension; ++j) {
    int low = 127;
    int high = -127;
    for (const std::size_t place : places) {
      low = std::min<int>(low, vectors[place * dimension + j]);
      high = std::max<int>(high, vectors[place * dimension + j]);
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      radii[i] += static_cast<std::uint64_t>(std::abs(2 * vectors[places[i] * dimension + j] - low - high));
    }
  }
  return radii;
}

// Returns the L1 distance of a and b. `size` is a multiple of kLanes. Compilers turn this form of the loop into
// instructions that sum absolute differences of bytes.
std::uint64_t distance(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  int sum = 0;  // at most 254·2^20
  for (std::size_t j = 0; j < size / kLanes * kLanes; ++j) sum += std::abs(a[j] - b[j]);
  return static_cast<std::uint64_t>(sum);
}

std::uint64_t by_pairs(std::span<const std::int8_t> vectors, std::size_t dimension,
                       std::span<const std::size_t> places) {
  const std::vector<std::uint64_t> radii = radii_of(vectors, dimension, places);
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return radii[a] > radii[b]; });
  const std::size_t size = padded(dimension);
  std::vector<std::uint8_t> shifted(order.size() * size, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int8_t* vector = &vectors[places[order[i]] * dimension];
    for (std::size_t j = 0; j < dimension; ++j) shifted[i * size + j] = static_cast<std::uint8_t>(vector[j] + 128);
  }
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t k = i + 1; k < order.size(); ++k) {
      if (radii[order[i]] + radii[order[k]] <= 2 * largest) break;
      largest = std::max(largest, distance(&shifted[i * size], &shifted[k * size], size));
    }
  }
  return largest;
}

}  // namespace

std::uint64_t l1_diameter(std::span<const std::int8_t> vectors, std::size_t dimension) {
  const std::vector<std::size_t> places = different(vectors, dimension);
  const bool few = dimension <= kMaxSigned &&
                   (std::size_t{1} << (dimension - 1)) * kSignedStep < places.size() * padded(dimension) / 2;
  return few ? by_signs(vectors, dimension, places) : by_pairs(vectors, dimension, places);
}

}  // namespace hearsay
