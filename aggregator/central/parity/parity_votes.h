// Takes the majority of votes on every attribute of a hidden vector, for both learners of this folder.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "aggregator/central/parity/parity_learner.h"
#include "common/random/bit_source.h"

namespace hearsay::central {

inline constexpr std::uint32_t kMostVotes = 10'000'000;
inline constexpr int kMostRepetitions = 1000;

// Learns each attribute from `votes` votes. `vote` takes freshly drawn samples and the number of an attribute. `vote`
// returns a vote, or nothing if the samples allow none. In this case learn_by_votes() draws new samples. Errors:
// kLimitExceeded if kMostRepetitions draws in a row allow no vote. Throws EntropyError.
template <class Vote>
Result<LearnedParity> learn_by_votes(const ReleasedRows& rows, std::uint32_t samples, std::uint32_t votes,
                                     BitSource& bits, const Vote& vote) {
  LearnedParity learned{0, {}, 0};
  std::vector<BitRow> drawn(samples);
  for (unsigned attribute = 0; attribute + 1 < rows.attributes(); ++attribute) {
    std::uint32_t ones = 0;
    int repetitions = 0;
    for (std::uint32_t cast = 0; cast < votes;) {
      for (BitRow& sample : drawn) sample = rows.draw(bits);
      learned.rows_drawn += samples;
      const std::optional<bool> one = vote(drawn, attribute);
      if (!one && ++repetitions == kMostRepetitions) {
        return Error{ErrorCode::kLimitExceeded, "the published rows do not determine the vector"};
      }
      if (!one) continue;
      repetitions = 0;
      ++cast;
      if (*one) ++ones;
    }
    learned.ones.push_back(static_cast<double>(ones) / votes);
    if (2 * std::uint64_t{ones} > votes) learned.vector |= BitRow{1} << attribute;
  }
  return learned;
}

// Suppose each vote is right independently with probability 1/2 + advantage. Returns an odd number of votes on each
// attribute. With this number, all `selectable` attributes come out right together with probability at least 1 - delta,
// by Hoeffding's inequality and the union bound. Errors: kLimitExceeded above kMostVotes.
Result<std::uint32_t> votes_for(unsigned selectable, double advantage, double delta);

}  // namespace hearsay::central
