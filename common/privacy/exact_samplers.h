// The samplers' algorithms, written once over a coin with uniform_below(n), bernoulli(num, den), cell(cells) and
// keeps(cells, offset). Production runs them with BitCoin; the tests run the same code with a coin that enumerates its
// decision tree.
//
// Bernoulli(exp(-x)) is Algorithm 1 of Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy"
// (2020). The proofs that the laws are exact are given at each function; all arithmetic is on integers and cannot
// overflow.
//
// The calls among these functions are unqualified on purpose: a test's coin overloads first_accepted and
// exp_minus_at_most_one by the laws it has enumerated of them, which keeps the tree small enough to walk.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/int128.h"
#include "common/privacy/laplace_cells.h"

namespace hearsay {

// The outcome of the first of several independent attempts that has one: the law of an attempt, given that it is
// accepted.
template <class Coin, class Attempt>
auto first_accepted(Coin& coin, const Attempt& attempt) {
  for (;;) {
    if (const auto outcome = attempt(coin)) return *outcome;
  }
}

// Bernoulli(exp(-num/den)) for num <= den, den >= 1.
//
// With g = num/den, count trials k = 1, 2, ... of Bernoulli(g/k) up to the first failure, at k = K. Then
// Pr[K > k] = g^k/k!, so Pr[K odd] = sum over even j of (g^j/j! - g^(j+1)/(j+1)!) = exp(-g).
// Bernoulli(g/k) is the conjunction of Bernoulli(1/k) and Bernoulli(num/den): den·k is never formed.
template <class Coin>
bool exp_minus_at_most_one(Coin& coin, std::uint64_t num, std::uint64_t den) {
  std::uint64_t k = 1;
  while (coin.bernoulli(1, k) && coin.bernoulli(num, den)) ++k;
  return k % 2 == 1;
}

// Bernoulli(exp(-num/den)) for den >= 1: floor(num/den) times Bernoulli(exp(-1)), then the rest; all must succeed.
template <class Coin>
bool exp_minus(Coin& coin, std::uint64_t num, std::uint64_t den) {
  for (std::uint64_t whole = num / den; whole > 0; --whole) {
    if (!exp_minus_at_most_one(coin, 1, 1)) return false;
  }
  return exp_minus_at_most_one(coin, num % den, den);
}

inline constexpr std::int64_t kLargestNoise = std::int64_t{1} << 62U;

// A number below 2^k, k = cells.log2_step(), with weights exp(-offset/t): a uniform one, kept with that probability,
// which is at least exp(-1/8).
template <class Coin>
std::uint64_t laplace_offset(Coin& coin, const LaplaceCells& cells) {
  if (cells.log2_step() == 0) return 0;
  return first_accepted(coin, [&cells](Coin& attempt) -> std::optional<std::uint64_t> {
    const std::uint64_t candidate = attempt.uniform_below(std::uint64_t{1} << cells.log2_step());
    if (!attempt.keeps(cells, candidate)) return std::nullopt;
    return candidate;
  });
}

// clamp(Y, -2^62, 2^62) for the integer Y with Pr[Y = y] proportional to exp(-|y|/t): see LaplaceCells for why a sign,
// steps and an offset make it.
//
// A further cell is drawn where the steps are n or more. Its sign is not looked at: a cell's step is independent of its
// sign. Once the magnitude exceeds 2^62 the clamp, the only departure from Y, makes the rest certain.
template <class Coin>
std::int64_t discrete_laplace(Coin& coin, const LaplaceCells& cells) {
  LaplaceCells::Cell cell = cells[coin.cell(cells)];
  const bool negative = cell.negative;
  Uint128 steps = cell.step;
  while (cell.beyond && steps << cells.log2_step() <= Uint128{kLargestNoise}) {
    cell = cells[coin.cell(cells)];
    steps += cell.step;
  }
  const Uint128 magnitude = (steps << cells.log2_step()) + laplace_offset(coin, cells);
  const std::int64_t clamped =
      magnitude < Uint128{kLargestNoise} ? static_cast<std::int64_t>(magnitude) : kLargestNoise;
  if (!negative) return clamped;
  return clamped == kLargestNoise ? -kLargestNoise : -1 - clamped;
}

}  // namespace hearsay
