// A Markov chain in place of the exponential mechanism, if the candidates are too many to enumerate.
#pragma once

#include <cstdint>
#include <utility>

#include "aggregator/central/exponential/gap_decay.h"

namespace hearsay::central {

// Takes `steps` steps from `state` on the Metropolis chain with the stationary law Pr[state] ∝ exp(rate·score(state)).
// Every step proposes a state and moves there with probability min(1, exp(-rate·loss)), where loss is how much the
// score falls. The probability is exact.
//
// Guarantee: none. Only the chain's stationary law is ε-differentially private. There is no proof of how far a finite
// run is from this law. Even a bound on this distance in total variation would not give a pure ε.
//
// propose(const State&, BitSource&) -> State must connect all states and be symmetric: it must propose b from a with
// the same probability as a from b. score has the form score(const State&) -> std::int64_t. Throws EntropyError. The
// chain is that of Metropolis et al. 1953. Blum, Ligett, Roth 2008, section 8, propose a chain for the general release.
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
