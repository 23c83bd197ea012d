// The number of a vector encodes three things: the first coordinate i with |v_i| = L, the sign of v_i, and the other
// coordinates as digits. Coordinates before i lie in (-L, L), and coordinates after i in [-L, L].

#include "aggregator/central/halfspaces/net.h"

#include <algorithm>
#include <cmath>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

Error too_large() {
  return {ErrorCode::kDomainTooLarge,
          "the net has more than 10^6 halfspaces, the most that a release takes: lower k or the resolution"};
}

std::uint64_t power(std::uint64_t base, std::uint32_t exponent) {
  std::uint64_t result = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

}  // namespace

Result<HalfspaceNet> HalfspaceNet::create(std::uint32_t dimension, std::uint32_t resolution) {
  if (dimension < 1 || resolution < 1) {
    return Error{ErrorCode::kInvalidArgument, "a net needs a dimension and a resolution of at least 1"};
  }
  const double side = 2.0 * resolution + 1;
  const double size = std::pow(side, dimension) - std::pow(side - 2, dimension);
  if (!(size <= static_cast<double>(kMost))) return too_large();  // `size` is NaN if both powers are infinite
  return HalfspaceNet(dimension, resolution, static_cast<std::uint64_t>(std::llround(size)));
}

Result<HalfspaceNet> HalfspaceNet::with_radius(std::uint32_t dimension, double radius) {
  if (dimension < 1 || !(radius > 0 && radius <= 1)) {
    return Error{ErrorCode::kInvalidArgument, "a net needs a dimension, and a radius in (0, 1]"};
  }
  const double resolution = std::ceil(std::sqrt(dimension - 1.0) / (2 * radius));
  if (resolution > static_cast<double>(kMost)) return too_large();
  return create(dimension, std::max(1U, static_cast<std::uint32_t>(resolution)));
}

double HalfspaceNet::radius() const { return std::sqrt(dimension_ - 1.0) / (2.0 * resolution_); }

std::vector<std::int32_t> HalfspaceNet::at(std::uint64_t index) const {
  const auto reach = static_cast<std::int32_t>(resolution_);
  const std::uint64_t inner = 2 * std::uint64_t{resolution_} - 1;
  const std::uint64_t outer = inner + 2;
  std::uint32_t i = 0;
  for (;; ++i) {
    const std::uint64_t group = 2 * power(inner, i) * power(outer, dimension_ - 1 - i);
    if (index < group) break;
    index -= group;
  }
  std::vector<std::int32_t> vector(dimension_);
  vector[i] = index % 2 == 0 ? reach : -reach;
  index /= 2;
  for (std::uint32_t j = 0; j < dimension_; ++j) {
    if (j == i) continue;
    const std::uint64_t base = j < i ? inner : outer;
    vector[j] = static_cast<std::int32_t>(index % base) - (j < i ? reach - 1 : reach);
    index /= base;
  }
  return vector;
}

std::uint64_t HalfspaceNet::near(std::span<const double> direction) const {
  double longest = 0;
  for (const double x : direction) longest = std::max(longest, std::abs(x));
  if (longest == 0) return 0;
  const std::int64_t reach = resolution_;
  std::vector<std::int64_t> rounded;
  for (const double x : direction) rounded.push_back(std::llround(x / longest * resolution_));
  const auto i = static_cast<std::uint32_t>(
      std::find_if(rounded.begin(), rounded.end(), [reach](std::int64_t v) { return std::abs(v) == reach; }) -
      rounded.begin());
  const std::uint64_t inner = 2 * std::uint64_t{resolution_} - 1;
  const std::uint64_t outer = inner + 2;
  std::uint64_t before = 0;
  for (std::uint32_t j = 0; j < i; ++j) before += 2 * power(inner, j) * power(outer, dimension_ - 1 - j);
  std::uint64_t digits = 0;
  for (std::uint32_t j = dimension_; j > 0; --j) {
    if (j - 1 == i) continue;
    const bool is_inner = j - 1 < i;
    digits = digits * (is_inner ? inner : outer) +
             static_cast<std::uint64_t>(rounded[j - 1] + (is_inner ? reach - 1 : reach));
  }
  return before + 2 * digits + (rounded[i] > 0 ? 0 : 1);
}

}  // namespace hearsay::central
