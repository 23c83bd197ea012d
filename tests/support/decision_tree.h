// Walks every path of a randomized algorithm whose only randomness is a coin, as in common/privacy/exact_samplers.h.
// Adds up the probabilities of the paths that lead to each outcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/privacy/exact_samplers.h"

namespace hearsay::tests {

// Outcomes, with lower bounds on their probabilities.
template <class Outcome>
using Law = std::vector<std::pair<Outcome, long double>>;

// A coin that walks the tree of an algorithm's choices. Each run of the algorithm first replays the choices of the
// current path. At each new node the coin takes the first choice that is likely enough. next_path() moves to the next
// path in depth-first order.
class BranchingCoin {
 public:
  // The coin throws this on a path whose probability is below `smallest`.
  struct Pruned {};

  explicit BranchingCoin(long double smallest) : smallest_(smallest) {}

  bool bit() {
    return choose<bool>([] { return Law<bool>{{false, 0.5L}, {true, 0.5L}}; });
  }
  std::uint64_t uniform_below(std::uint64_t n) {
    return choose<std::uint64_t>([n] {
      Law<std::uint64_t> law;
      for (std::uint64_t value = 0; value < n; ++value) law.emplace_back(value, 1 / static_cast<long double>(n));
      return law;
    });
  }
  bool bernoulli(std::uint64_t num, std::uint64_t den) {
    if (num >= den) return true;
    return choose<bool>([num, den] {
      const auto d = static_cast<long double>(den);
      return Law<bool>{{true, static_cast<long double>(num) / d}, {false, static_cast<long double>(den - num) / d}};
    });
  }

  // Chooses one outcome of make_law(). The coin calls make_law() once for each node of the tree.
  template <class Outcome, class MakeLaw>
  Outcome choose(const MakeLaw& make_law) {
    if (depth_ == path_.size()) {
      auto law = std::make_shared<const Law<Outcome>>(make_law());
      Node node{0, probability_, {}, law};
      for (const auto& [outcome, weight] : *law) node.weights.push_back(weight);
      if (!skip_unlikely(node)) throw Pruned{};
      path_.push_back(std::move(node));
    }
    const Node& node = path_[depth_++];
    probability_ = node.before * node.weights[node.choice];
    return (*static_cast<const Law<Outcome>*>(node.law.get()))[node.choice].first;
  }

  void start() {
    depth_ = 0;
    probability_ = 1;
  }
  // Returns false when the coin has walked the whole tree.
  bool next_path() {
    path_.resize(depth_);
    while (!path_.empty()) {
      ++path_.back().choice;
      if (skip_unlikely(path_.back())) return true;
      path_.pop_back();
    }
    return false;
  }

  long double probability() const { return probability_; }  // the probability of the current path so far
  std::size_t depth() const { return depth_; }
  long double smallest() const { return smallest_; }

 private:
  struct Node {
    std::size_t choice = 0;
    long double before = 1;  // the probability of reaching the node
    std::vector<long double> weights;
    std::shared_ptr<const void> law;
  };

  bool skip_unlikely(Node& node) const {
    while (node.choice < node.weights.size()) {
      const long double probability = node.before * node.weights[node.choice];
      if (probability > 0 && probability >= smallest_) return true;
      ++node.choice;
    }
    return false;
  }

  long double smallest_;
  long double probability_ = 1;
  std::size_t depth_ = 0;
  std::vector<Node> path_;
};

// Certified bounds on the law of an algorithm: low(y) <= Pr[y] <= high(y) = low(y) + residual for every outcome y.
template <class Outcome>
struct Enclosure {
  std::map<Outcome, long double> mass;
  // An upper bound on the probability of the paths that were not followed.
  long double residual = 1;
  std::uint64_t paths = 0;

  long double low(const Outcome& y) const {
    const auto found = mass.find(y);
    return found == mass.end() ? 0 : found->second;
  }
  long double high(const Outcome& y) const { return low(y) + residual; }
};

// Runs `algorithm(coin)` along every path of probability at least `smallest`.
//
// Rounding: each operation in long double has a relative error of at most 2^-64. A path of depth k is a product of k
// weights, and each weight costs three roundings. An outcome is a sum over at most `paths` paths. The code checks k <=
// 1,000 and paths <= 10^7. So the relative error is below (4·10^3 + 10^7)·2^-64 < 10^-12. The bounds are widened by
// 10^-12.
template <class Outcome, class Coin, class Algorithm>
Enclosure<Outcome> enumerate(const Algorithm& algorithm, long double smallest) {
  constexpr long double kRounding = 1e-12L;
  Enclosure<Outcome> result;
  Coin coin(smallest);
  long double total = 0;
  do {
    coin.start();
    try {
      const Outcome outcome = algorithm(coin);
      result.mass[outcome] += coin.probability();
      total += coin.probability();
      ++result.paths;
    } catch (const BranchingCoin::Pruned&) {
    }
    if (coin.depth() > 1'000 || result.paths > 10'000'000) throw std::length_error("the decision tree is too large");
  } while (coin.next_path());
  for (auto& [outcome, mass] : result.mass) mass *= 1 - kRounding;
  result.residual = 1 - total * (1 - 2 * kRounding);
  return result;
}

// A coin that treats two subroutines of the samplers as single nodes. The probabilities at such a node come from a
// walk of the subroutine's own code. So a rejection loop costs one node, and the residual can be as small as the
// rounding error.
class MergingCoin : public BranchingCoin {
 public:
  using BranchingCoin::BranchingCoin;
};

// Overloads hearsay::exp_minus_at_most_one. Runs that template on a BranchingCoin.
inline bool exp_minus_at_most_one(MergingCoin& coin, std::uint64_t num, std::uint64_t den) {
  return coin.choose<bool>([&] {
    const auto law = enumerate<bool, BranchingCoin>(
        [&](BranchingCoin& inner) { return hearsay::exp_minus_at_most_one<BranchingCoin>(inner, num, den); },
        coin.smallest());
    return Law<bool>(law.mass.begin(), law.mass.end());
  });
}

// Overloads hearsay::first_accepted. An attempt returns nothing if it is rejected. The law of the result is the law of
// one attempt, divided by Pr[accepted]. Pr[accepted] is at most 1 - low(nothing), so the quotients are lower bounds.
template <class Attempt>
auto first_accepted(MergingCoin& coin, const Attempt& attempt) {
  using Optional = decltype(attempt(coin));
  using Outcome = typename Optional::value_type;
  return coin.choose<Outcome>([&] {
    const auto once = enumerate<Optional, MergingCoin>(attempt, coin.smallest());
    const long double accepted = 1 - once.low(Optional());
    Law<Outcome> law;
    for (const auto& [outcome, mass] : once.mass) {
      if (outcome) law.emplace_back(*outcome, mass / accepted);
    }
    return law;
  });
}

}  // namespace hearsay::tests
