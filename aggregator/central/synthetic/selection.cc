// Symbols: D the histogram, n = ‖D‖₁, m = size_, D' = counts, unit = the weights' denominator.

#include "aggregator/central/synthetic/selection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/central/exponential/chain.h"
#include "aggregator/central/exponential/exponential_mechanism.h"
#include "aggregator/central/synthetic/target.h"
#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {
namespace {

constexpr double kMostScoring = 0x1p33;
constexpr double kMostWalkLaw = 0x1p32;
constexpr double kMostWalking = 0x1p36;

struct Place {
  Counts counts;
  std::vector<std::int64_t> answers;
};

// As even as m copies over |X| elements can be; the data do not matter.
Counts spread(std::size_t domain, std::uint32_t size) {
  Counts counts(domain, 0);
  for (std::uint32_t copy = 0; copy < size; ++copy) {
    ++counts[std::size_t{copy} * domain / size];
  }
  return counts;
}

// The possible moves from every multiset: to which, with the chance 1/|X|² of each.
struct Move {
  std::uint32_t from;
  std::uint32_t to;
};

std::vector<Move> all_moves(const Multisets& all) {
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

}  // namespace

Result<Selection> Selection::create(QueryClass queries, std::uint32_t size, const Rational& epsilon) {
  if (size < 1) return Error{ErrorCode::kInvalidArgument, "a synthetic database needs a size of at least 1"};
  HEARSAY_TRY(const Rational sensitivity, Rational::create(std::uint64_t{size} * queries.unit(), 1));
  HEARSAY_TRY(const GapDecay decay, GapDecay::create(epsilon, sensitivity, ScoreMovement::kEitherWay));
  return Selection(std::move(queries), size, decay);
}

Result<std::vector<std::int64_t>> Selection::scores(std::span<const std::uint64_t> histogram) const {
  HEARSAY_TRY(const Target target, Target::create(queries_, size_, histogram));
  HEARSAY_TRY(const Multisets all, Multisets::create(queries_.domain(), size_));
  const auto support = static_cast<double>(std::min<std::size_t>(size_, queries_.domain()));
  if (static_cast<double>(all.count()) * support * static_cast<double>(queries_.size()) > kMostScoring) {
    return Error{ErrorCode::kDomainTooLarge,
                 "more than 2^33 operations to score every synthetic database; use the chain"};
  }
  std::vector<std::int64_t> scores;
  scores.reserve(all.count());
  Counts counts = all.at(0);
  for (std::uint64_t index = 0; index < all.count(); ++index) {
    if (index > 0) Multisets::advance(counts);
    scores.push_back(target.score(target.answers(counts)));
  }
  return scores;
}

Result<SyntheticDatabase> Selection::enumerate(std::span<const std::uint64_t> histogram, BitSource& bits) const {
  HEARSAY_TRY(const std::vector<std::int64_t> all_scores, scores(histogram));
  HEARSAY_TRY(const std::size_t chosen, ExponentialMechanism(decay_).release(all_scores, bits));
  HEARSAY_TRY(const Multisets all, Multisets::create(queries_.domain(), size_));
  return SyntheticDatabase{all.at(chosen), decay_.epsilon()};
}

Result<SyntheticDatabase> Selection::walk(std::span<const std::uint64_t> histogram, std::uint64_t steps,
                                          BitSource& bits) const {
  HEARSAY_TRY(const Target target, Target::create(queries_, size_, histogram));
  const auto cost = static_cast<double>(queries_.domain()) + static_cast<double>(queries_.size());
  if (static_cast<double>(steps) * cost > kMostWalking) {
    return Error{ErrorCode::kLimitExceeded, "the chain would take more than 2^36 operations; fewer steps are needed"};
  }
  Counts start = spread(queries_.domain(), size_);
  std::vector<std::int64_t> answers = target.answers(start);
  const auto propose = [&target](const Place& at, BitSource& source) {
    const std::size_t from = uniform_below(source, at.counts.size());
    const std::size_t to = uniform_below(source, at.counts.size());
    Place next = at;
    if (from == to || next.counts[from] == 0) return next;
    --next.counts[from];
    ++next.counts[to];
    target.replace(next.answers, from, to);
    return next;
  };
  const auto score = [&target](const Place& at) { return target.score(at.answers); };
  auto sample = metropolis(decay_, Place{std::move(start), std::move(answers)}, propose, score, steps, bits);
  return SyntheticDatabase{std::move(sample.state.counts), sample.proved_epsilon};
}

Result<std::vector<long double>> Selection::log_law(std::span<const std::uint64_t> histogram) const {
  HEARSAY_TRY(const std::vector<std::int64_t> all_scores, scores(histogram));
  return ExponentialMechanism(decay_).log_law(all_scores);
}

Result<std::vector<double>> Selection::walk_law(std::span<const std::uint64_t> histogram, std::uint64_t steps) const {
  HEARSAY_TRY(const std::vector<std::int64_t> all_scores, scores(histogram));
  HEARSAY_TRY(const Multisets all, Multisets::create(queries_.domain(), size_));
  const auto domain = static_cast<double>(queries_.domain());
  const double moves_at_most = static_cast<double>(all.count()) * std::min<double>(size_, domain) * domain;
  if (moves_at_most * std::max(static_cast<double>(steps), 16.0) > kMostWalkLaw) {
    return Error{ErrorCode::kDomainTooLarge, "more than 2^32 operations for the law of the chain"};
  }
  const std::vector<Move> moves = all_moves(all);
  std::vector<double> chances;
  chances.reserve(moves.size());
  for (const Move& move : moves) {
    const auto loss = static_cast<double>(all_scores[move.from] - all_scores[move.to]);
    const double accepted = loss <= 0 ? 1 : std::exp(-loss * decay_.rate().approximate());
    chances.push_back(accepted / (domain * domain));
  }
  std::vector<double> law(all.count(), 0);
  law[all.index_of(spread(queries_.domain(), size_))] = 1;
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

Result<double> Selection::error(std::span<const std::uint64_t> histogram, std::span<const std::uint32_t> counts) const {
  HEARSAY_TRY(const Target target, Target::create(queries_, size_, histogram));
  std::uint64_t total = 0;
  for (const std::uint32_t count : counts) total += count;
  if (counts.size() != queries_.domain() || total != size_) {
    return Error{ErrorCode::kInvalidArgument, "not a synthetic database of this size over this domain"};
  }
  const auto units = static_cast<double>(size_) * static_cast<double>(queries_.unit());
  return -static_cast<double>(target.score(target.answers(counts))) / units;
}

}  // namespace hearsay::central
