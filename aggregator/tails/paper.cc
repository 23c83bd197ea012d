// Symbols: λ = scheme.scale, γ̃ = scheme.margin.

#include "aggregator/tails/paper.h"

#include <algorithm>
#include <cmath>

#include "common/base/try.h"

namespace hearsay::tails {
namespace {

constexpr double kMostUsers = 0x1p53;

Result<void> check(const PaperScheme& scheme, double alpha, double beta) {
  if (!(alpha > 0 && alpha < 1) || !(beta > 0 && beta < 1)) {
    return Error{ErrorCode::kInvalidArgument, "alpha and beta must lie strictly in (0, 1)"};
  }
  if (!(scheme.scale > 0) || !(scheme.margin > 0) || !std::isfinite(scheme.scale) || !std::isfinite(scheme.margin)) {
    return Error{ErrorCode::kInvalidArgument, "scale and margin must be finite and above 0"};
  }
  return {};
}

}  // namespace

Result<std::uint64_t> theorem7_users(const PaperScheme& scheme, double alpha, double beta) {
  HEARSAY_CHECK_OK(check(scheme, alpha, beta));
  const double margin = alpha * scheme.margin;
  const double instances = margin * margin / 2;
  const double ratio = margin / scheme.scale;
  const double noise = std::min(ratio * ratio / 8, 1.0);
  const auto failure = [&](std::uint64_t n) {
    const auto users = static_cast<double>(n);
    return 2 * std::exp(-instances * users) + 2 * std::exp(-noise * users);
  };
  // If A1·n and A2·n are at least ln(4/β), the sum is at most β. One more user covers rounding.
  const double enough = std::ceil(std::log(4 / beta) / std::min(instances, noise)) + 1;
  if (!(enough <= kMostUsers)) {
    {
      return Error{ErrorCode::kOverflow,
                   "more than 2^53 users would be needed: allow a larger error (alpha), or take a larger epsilon"};
    }
  }
  std::uint64_t too_few = 0;
  auto users = static_cast<std::uint64_t>(enough);
  while (users - too_few > 1) {
    const std::uint64_t middle = too_few + (users - too_few) / 2;
    (failure(middle) <= beta ? users : too_few) = middle;
  }
  return users;
}

double one_query_limit(double epsilon) {
  const double half = std::tanh(epsilon / 2);  // 1/c
  return 0.25 / (half * half);
}

}  // namespace hearsay::tails
