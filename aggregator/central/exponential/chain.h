// A Markov chain in place of the exponential mechanism where the candidates are too many to enumerate.
#pragma once

#include <cstdint>
#include <utility>

#include "aggregator/central/exponential/gap_decay.h"

namespace hearsay::central {

// `steps` steps of the Metropolis chain whose stationary law is Pr[state] ∝ exp(rate·score(state)), uniform base
// measure, from `state`. Every step proposes a state and moves there with probability min(1, exp(-rate·loss)), sampled
// exactly.
//
// No ε is proved of the state: only the chain's limit is ε-differentially private. How far a finite run is from the
// limit is not proved, and a distance in total variation would not give a pure ε either.
//
// propose(const State&, BitSource&) -> State must be symmetric (as likely back as forth) and connect all states;
// score(const State&) -> std::int64_t. Throws EntropyError. Metropolis et al. 1953; proposed for the general release in
// section 8 of Blum, Ligett, Roth 2008.
template <class State, class Propose, class Score>
State metropolis(const GapDecay& decay, State state, const Propose& propose, const Score& score, std::uint64_t steps,
                 BitSource& bits) {
  std::int64_t now = score(std::as_const(state));
  for (std::uint64_t step = 0; step < steps; ++step) {
    State next = propose(std::as_const(state), bits);
    const std::int64_t next_score = score(std::as_const(next));
    const bool moves =
        next_score >= now || decay.keep(static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(next_score), bits);
    if (!moves) continue;
    state = std::move(next);
    now = next_score;
  }
  return state;
}

}  // namespace hearsay::central
