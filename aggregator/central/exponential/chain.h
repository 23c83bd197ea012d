// A Markov chain in place of the exponential mechanism where the candidates are too many to enumerate.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "aggregator/central/exponential/gap_decay.h"

namespace hearsay::central {

// Where a chain of finitely many steps ended.
template <class State>
struct ChainSample {
  State state;
  std::int64_t score;
  std::uint64_t accepted;  // of the steps
  // Always empty: only the chain's limit is ε-differentially private. How far a finite run is from the limit is not
  // proved, and a distance in total variation would not give a pure ε either.
  std::optional<Rational> proved_epsilon = std::nullopt;
};

// `steps` steps of the Metropolis chain whose stationary law is Pr[state] ∝ exp(rate·score(state)), uniform base
// measure, from `start`. Every step proposes a state and moves there with probability min(1, exp(-rate·loss)), sampled
// exactly.
//
// propose(const State&, BitSource&) -> State must be symmetric (as likely back as forth) and connect all states;
// score(const State&) -> std::int64_t. Throws EntropyError. Metropolis et al. 1953; proposed for the general release in
// section 8 of Blum, Ligett, Roth 2008.
template <class State, class Propose, class Score>
ChainSample<State> metropolis(const GapDecay& decay, State start, const Propose& propose, const Score& score,
                              std::uint64_t steps, BitSource& bits) {
  const std::int64_t first_score = score(start);
  ChainSample<State> now{std::move(start), first_score, 0, std::nullopt};
  for (std::uint64_t step = 0; step < steps; ++step) {
    State next = propose(std::as_const(now.state), bits);
    const std::int64_t next_score = score(std::as_const(next));
    const bool moves = next_score >= now.score ||
                       decay.keep(static_cast<std::uint64_t>(now.score) - static_cast<std::uint64_t>(next_score), bits);
    if (!moves) continue;
    now.state = std::move(next);
    now.score = next_score;
    ++now.accepted;
  }
  return now;
}

}  // namespace hearsay::central
