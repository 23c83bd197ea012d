// The samplers' algorithms, written once over a coin with bit(), uniform_below(n) and bernoulli(num, den). Production
// runs them with BitCoin. Tests run the same code with a coin that enumerates the sampler's decision tree.
//
// Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020), Algorithms 1 and 2. The comment of
// each function proves that the function's law is exact. All arithmetic is on integers and cannot overflow.
//
// These functions call each other unqualified on purpose. A test overloads first_accepted and exp_minus_at_most_one for
// its own coin, with laws that the test has enumerated before. This keeps the decision tree small.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/int128.h"

namespace hearsay {

// Makes independent attempts and returns the first outcome. The law of the result is the law of one attempt's outcome,
// given that the attempt has an outcome.
template <class Coin, class Attempt>
auto first_accepted(Coin& coin, const Attempt& attempt) {
  for (;;) {
    if (const auto outcome = attempt(coin)) return *outcome;
  }
}

// Returns true with probability exp(-num/den), for num <= den, den >= 1.
//
// Let g = num/den. Count trials k = 1, 2, ... of Bernoulli(g/k) up to the first failure, at k = K. Then Pr[K > k] =
// g^k/k!, so Pr[K odd] = sum over even j of (g^j/j! - g^(j+1)/(j+1)!) = exp(-g). Bernoulli(g/k) is the conjunction of
// Bernoulli(1/k) and Bernoulli(num/den), so den·k is never formed.
template <class Coin>
bool exp_minus_at_most_one(Coin& coin, std::uint64_t num, std::uint64_t den) {
  std::uint64_t k = 1;
  while (coin.bernoulli(1, k) && coin.bernoulli(num, den)) ++k;
  return k % 2 == 1;
}

// Returns true with probability exp(-num/den), for den >= 1. Draws Bernoulli(exp(-1)) floor(num/den) times, and then
// Bernoulli(exp(-g)) for the remainder g. Stops at the first failure. Returns true if all draws succeed.
template <class Coin>
bool exp_minus(Coin& coin, std::uint64_t num, std::uint64_t den) {
  for (std::uint64_t whole = num / den; whole > 0; --whole) {
    if (!exp_minus_at_most_one(coin, 1, 1)) return false;
  }
  return exp_minus_at_most_one(coin, num % den, den);
}

// Returns floor(X/r), where Pr[X = x] is proportional to exp(-x/s) on x = 0, 1, 2, ...; s, r >= 1.
//
// X = U + s·V with U in {0, ..., s-1} and V >= 0, so Pr[X = x] factors into exp(-U/s)·exp(-V). U comes from rejection:
// a uniform value is kept with probability exp(-U/s). V counts successes of Bernoulli(exp(-1)). Since X >= r·m iff
// floor(X/r) >= m, Pr[floor(X/r) >= m] = exp(-m·r/s): the result is geometric with ratio exp(-r/s). U + s·V < 2^128.
template <class Coin>
Uint128 geometric(Coin& coin, std::uint64_t s, std::uint64_t r) {
  const std::uint64_t u = first_accepted(coin, [s](Coin& attempt) -> std::optional<std::uint64_t> {
    const std::uint64_t candidate = attempt.uniform_below(s);
    if (!exp_minus_at_most_one(attempt, candidate, s)) return std::nullopt;
    return candidate;
  });
  std::uint64_t v = 0;
  while (exp_minus_at_most_one(coin, 1, 1)) ++v;
  const Uint128 x = u + Uint128{s} * v;
  if (r == 1) return x;
  const auto low = static_cast<std::uint64_t>(x);
  return x == low ? Uint128{low / r} : x / r;
}

inline constexpr std::int64_t kLargestNoise = std::int64_t{1} << 62U;

// Returns clamp(Y, -2^62, 2^62) for the integer Y with Pr[Y = y] proportional to exp(-|y|·r/s); s, r >= 1.
//
// A fair sign and a geometric magnitude give every y != 0 the weight exp(-|y|·r/s)/2. Refusing "minus 0" leaves the
// weight 1/2 for 0, as the law requires. The result differs from Y only by the clamp.
template <class Coin>
std::int64_t discrete_laplace(Coin& coin, std::uint64_t s, std::uint64_t r) {
  return first_accepted(coin, [s, r](Coin& attempt) -> std::optional<std::int64_t> {
    const Uint128 magnitude = geometric(attempt, s, r);
    const bool negative = attempt.bit();
    if (negative && magnitude == 0) return std::nullopt;
    const std::int64_t clamped =
        magnitude < Uint128{kLargestNoise} ? static_cast<std::int64_t>(magnitude) : kLargestNoise;
    return negative ? -clamped : clamped;
  });
}

}  // namespace hearsay
