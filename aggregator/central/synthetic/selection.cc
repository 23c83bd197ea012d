#include "aggregator/central/synthetic/selection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/central/calibration.h"
#include "aggregator/central/exponential/chain.h"
#include "aggregator/central/exponential/exponential_mechanism.h"
#include "aggregator/central/synthetic/target.h"
#include "common/base/int128.h"
#include "common/base/try.h"
#include "common/privacy/samplers.h"

namespace hearsay::central {
namespace {

constexpr double kMostScoring = 0x1p33;
constexpr double kMostWalking = 0x1p36;

struct Place {
  Counts counts;
  std::vector<std::int64_t> answers;
};

// Spreads the copies evenly over the elements, without regard to the data.
Counts spread(std::size_t domain, std::uint32_t size) {
  Counts counts(domain, 0);
  for (std::uint32_t copy = 0; copy < size; ++copy) {
    ++counts[std::size_t{copy} * domain / size];
  }
  return counts;
}

}  // namespace

Result<double> SyntheticDatabase::scaled_answer(double total, std::span<const double> query) const {
  if (query.size() != counts.size()) {
    return Error{ErrorCode::kInvalidArgument, "a linear query needs one weight for each element"};
  }
  double sum = 0;
  double size = 0;
  for (std::size_t x = 0; x < query.size(); ++x) {
    if (!std::isfinite(query[x])) return Error{ErrorCode::kInvalidArgument, "a weight is not a finite number"};
    sum += query[x] * counts[x];
    size += counts[x];
  }
  return total * (sum / size);
}

Result<Selection> Selection::create(QueryClass queries, std::uint32_t size, const Rational& epsilon) {
  if (size < 1) return Error{ErrorCode::kInvalidArgument, "a synthetic database needs a size of at least 1"};
  const Rational sensitivity = whole(std::uint64_t{size} * queries.unit());
  HEARSAY_TRY(const GapDecay decay, GapDecay::create(epsilon, sensitivity, ScoreMovement::kEitherWay));
  return Selection(std::move(queries), size, decay);
}

std::uint64_t Selection::capacity() const {
  const Uint128 per_record = Uint128{size_} * queries_.unit() * queries_.domain();
  return static_cast<std::uint64_t>((Uint128{1} << 61U) / per_record);
}

std::vector<std::uint64_t> Selection::within_capacity(std::span<const std::uint64_t> histogram) const {
  std::vector<std::uint64_t> counts(histogram.begin(), histogram.end());
  for (std::uint64_t& count : counts) count = std::min(count, capacity());
  return counts;
}

Result<std::vector<std::int64_t>> Selection::scores(std::span<const std::uint64_t> histogram) const {
  HEARSAY_TRY(const Target target, Target::create(queries_, size_, histogram));
  HEARSAY_TRY(const Multisets all, Multisets::create(queries_.domain(), size_));
  const auto support = static_cast<double>(std::min<std::size_t>(size_, queries_.domain()));
  if (static_cast<double>(all.count()) * support * static_cast<double>(queries_.size()) > kMostScoring) {
    return Error{ErrorCode::kDomainTooLarge,
                 "scoring every synthetic database would take more than 2^33 operations: use the Markov chain"};
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
    return Error{ErrorCode::kLimitExceeded, "the Markov chain would take more than 2^36 operations: take fewer steps"};
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
  Place end = metropolis(decay_, Place{std::move(start), std::move(answers)}, propose, score, steps, bits);
  return SyntheticDatabase{std::move(end.counts), std::nullopt};
}

}  // namespace hearsay::central
