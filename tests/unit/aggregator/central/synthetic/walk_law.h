// Computes the law of the Markov chain that draws synthetic databases.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "aggregator/central/synthetic/selection.h"

namespace hearsay::central {

// A possible move from a multiset. Each move has the probability 1/|X|², where |X| is the number of elements.
struct Move {
  std::uint32_t from;
  std::uint32_t to;
};

inline std::vector<Move> all_moves(const Multisets& all) {
  std::vector<Move> moves;
  Counts counts = all.at(0);
  for (std::uint32_t index = 0; index < all.count(); ++index) {
    if (index > 0) Multisets::advance(counts);
    for (std::size_t x = 0; x < counts.size(); ++x) {
      if (counts[x] == 0) continue;
      --counts[x];
      for (std::size_t y = 0; y < counts.size(); ++y) {
        if (x == y) continue;
        ++counts[y];
        moves.push_back({index, static_cast<std::uint32_t>(all.index_of(counts))});
        --counts[y];
      }
      ++counts[x];
    }
  }
  return moves;
}

// Returns the law of Selection::walk() on the numbers of multisets, by powers of its transition matrix.
inline std::vector<double> walk_law(const Selection& selection, std::span<const std::uint64_t> histogram,
                                    std::uint64_t steps) {
  const std::vector<std::int64_t> all_scores = selection.scores(histogram).value();
  const Multisets all = Multisets::create(histogram.size(), selection.size()).value();
  const auto domain = static_cast<double>(histogram.size());
  Counts start(histogram.size(), 0);  // the records are spread evenly over the elements
  for (std::size_t copy = 0; copy < selection.size(); ++copy) ++start[copy * histogram.size() / selection.size()];
  const std::vector<Move> moves = all_moves(all);
  std::vector<double> chances;
  chances.reserve(moves.size());
  for (const Move& move : moves) {
    const auto loss = static_cast<double>(all_scores[move.from] - all_scores[move.to]);
    const double accepted = loss <= 0 ? 1 : std::exp(-loss * selection.decay().rate().approximate());
    chances.push_back(accepted / (domain * domain));
  }
  std::vector<double> law(all.count(), 0);
  law[all.index_of(start)] = 1;
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::vector<double> next = law;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const double flow = law[moves[i].from] * chances[i];
      next[moves[i].from] -= flow;
      next[moves[i].to] += flow;
    }
    law = std::move(next);
  }
  return law;
}

}  // namespace hearsay::central
