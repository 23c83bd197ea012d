// Draws tallies of the channel `sampled` without making reports. The law is the same, and the cost does not grow with
// the number of reports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "aggregator/tally/tally.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "tests/support/bit_sources.h"
#include "tests/support/group_law.h"
#include "tests/support/sampled_tallies.h"
#include "tests/support/sampled_tasks.h"

namespace hearsay::tests {

// The generator SplitMix64 (Steele, Lea, Flood 2014) for <random>.
class FastRandom {
 public:
  using result_type = std::uint64_t;
  explicit FastRandom(std::string_view key) : state_(CounterBitSource(key).bits(64)) {}
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }
  std::uint64_t operator()() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

inline std::uint64_t binomial(std::uint64_t n, double p, FastRandom& random) {
  if (n == 0 || p <= 0) return 0;
  if (p >= 1) return n;
  return std::binomial_distribution<std::uint64_t>(n, p)(random);
}

// Divides n people at random among parts with the given weights. Calls visit(i, count) for each part i.
template <class Visit>
void multinomial(std::uint64_t n, std::span<const double> weights, FastRandom& random, Visit&& visit) {
  double rest = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < weights.size() && n > 0; ++i) {
    const std::uint64_t here = i + 1 == weights.size() ? n : binomial(n, std::min(1.0, weights[i] / rest), random);
    if (here > 0) visit(i, here);
    rest -= weights[i];
    n -= here;
  }
}

// All people with the same record independently draw a group, and then the true or a uniform answer. So the counts are
// multinomial.
class TallySimulator {
 public:
  TallySimulator(const Task& task, std::vector<Record> cells) : channel_(sampled_of(task)), cells_(std::move(cells)) {
    for (std::uint64_t group = 0; group < channel_.groups(); ++group) {
      const auto& group_class = channel_.class_of(group);
      weights_.push_back(
          static_cast<double>(group_class.weight) *
          chance_within_class(task.schema(), std::get<SampledSpec>(task.spec().channel), channel_, group));
      gamma_.push_back(channel_.gamma(group_class));
      answers_.push_back(group_class.answers);
      for (const Record& record : cells_) truths_.push_back(channel_.true_value(group, record));
    }
  }

  // people[c] is the number of people with the record of cell c.
  tally::Tally draw(std::span<const std::uint64_t> people, FastRandom& random) {
    entries_.clear();
    liars_.assign(weights_.size(), 0);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      multinomial(people[c], weights_, random, [&](std::size_t group, std::uint64_t here) {
        const std::uint64_t truthful = binomial(here, gamma_[group], random);
        entries_.push_back({group, truths_[group * cells_.size() + c], truthful});
        liars_[group] += here - truthful;
      });
    }
    for (std::size_t group = 0; group < liars_.size(); ++group) {
      uniform_.assign(answers_[group], 1.0);
      multinomial(liars_[group], uniform_, random, [&](std::size_t n, std::uint64_t count) {
        entries_.push_back({group, channel_.nth_answer(group, static_cast<std::uint32_t>(n)), count});
      });
    }
    return sampled_tally_of(entries_);
  }

 private:
  SampledChannel channel_;
  std::vector<Record> cells_;
  std::vector<double> weights_;
  std::vector<double> gamma_;
  std::vector<std::uint32_t> answers_;
  std::vector<std::uint32_t> truths_;  // the true answer of each cell, group by group
  // For each group, the number of people who gave a uniform answer, whatever their record is.
  std::vector<std::uint64_t> liars_;
  std::vector<double> uniform_;
  std::vector<tally::SampledTally::Entry> entries_;
};

}  // namespace hearsay::tests
