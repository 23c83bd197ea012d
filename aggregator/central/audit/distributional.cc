#include "aggregator/central/audit/distributional.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr std::size_t kMostSamples = std::size_t{1} << 9U;
constexpr std::uint32_t kMostValues = 16;
constexpr std::uint64_t kMostSamplePairs = std::uint64_t{1} << 22U;

Rows rows_of(std::uint32_t set, std::uint32_t domain) {
  Rows rows;
  for (std::uint32_t value = 0; value < domain; ++value) {
    if ((set >> value & 1U) != 0) rows.push_back(value);
  }
  return rows;
}

// Returns C(n, k) for n <= 16.
std::uint64_t choose(std::uint64_t n, std::uint64_t k) {
  std::uint64_t ways = 1;
  for (std::uint64_t i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
  return ways;
}

constexpr double kJustBelow = 0.999;

Result<void> check_request(const Universe& universe, std::optional<double> beta) {
  if (universe.neighbours != Neighbours::kReplaceOne) {
    return Error{ErrorCode::kInvalidArgument,
                 "distributional privacy needs a mechanism that is private for replaced rows"};
  }
  if (beta && !(*beta >= 0 && *beta < 1)) return Error{ErrorCode::kInvalidArgument, "beta must lie in [0, 1)"};
  return {};
}

Result<void> check_domain(const Universe& universe) {
  if (universe.domain <= universe.rows) {
    return Error{ErrorCode::kInvalidArgument, "the domain must have more values than there are rows"};
  }
  if (universe.domain > kMostValues) {
    return Error{ErrorCode::kDomainTooLarge, "the domain must have at most 16 values"};
  }
  if (choose(universe.domain, universe.rows) > kMostSamples) {
    return Error{ErrorCode::kDomainTooLarge, "there are more than 512 samples; take a smaller domain"};
  }
  std::uint64_t pairs = 0;
  for (std::uint64_t size = universe.rows; size <= universe.domain; ++size) {
    const std::uint64_t samples = choose(size, universe.rows);
    pairs += choose(universe.domain, size) * samples * samples;
  }
  if (pairs > kMostSamplePairs) {
    return Error{
        ErrorCode::kDomainTooLarge,
        "there are more than 2^22 pairs of samples: take a smaller domain, or one population with --population"};
  }
  return {};
}

class SampleLosses {
 public:
  static Result<SampleLosses> compute(const AuditedMechanism& mechanism) {
    const Universe& universe = mechanism.universe;
    SampleLosses losses;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << universe.domain; ++set) {
      if (std::popcount(set) == static_cast<int>(universe.rows)) losses.samples_.push_back(set);
    }
    for (const std::uint32_t first : losses.samples_) {
      for (const std::uint32_t second : losses.samples_) {
        HEARSAY_TRY(const PairLoss loss,
                    mechanism.loss(rows_of(first, universe.domain), rows_of(second, universe.domain)));
        const LossSize size = size_of(loss);
        losses.sizes_.emplace_back(size.low, size.high);
      }
    }
    return losses;
  }

  // Returns the losses between samples of one population. Bit v of `population` is 1 if the population has the value v.
  std::vector<std::pair<double, double>> within(std::uint32_t population) const {
    std::vector<std::pair<double, double>> found;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if ((samples_[i] & ~population) != 0) continue;
      for (std::size_t j = 0; j < samples_.size(); ++j) {
        if ((samples_[j] & ~population) == 0) found.push_back(sizes_[i * samples_.size() + j]);
      }
    }
    return found;
  }

  double largest_between_neighbours() const {
    double largest = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      for (std::size_t j = 0; j < samples_.size(); ++j) {
        if (std::popcount(samples_[i] ^ samples_[j]) == 2)
          largest = std::max(largest, sizes_[i * samples_.size() + j].first);
      }
    }
    return largest;
  }

 private:
  std::vector<std::uint32_t> samples_;
  std::vector<std::pair<double, double>> sizes_;  // the bounds of each loss, low and high
};

// Returns the least value that is exceeded by at most a share beta of `values`.
double all_but(std::vector<double> values, double beta) {
  std::sort(values.begin(), values.end());
  const auto exceeding = static_cast<std::size_t>(std::floor(beta * static_cast<double>(values.size()) * (1 + 1e-12)));
  return values[values.size() - 1 - exceeding];
}

// The values of a sample, ascending, and the number of ways to draw a sample with these values.
struct MemberSample {
  std::uint64_t ways;
  Rows rows;
};

// The samples of a population in which several members can have the same value.
class MemberSamples {
 public:
  static Result<MemberSamples> list(const std::vector<std::uint32_t>& members, std::uint32_t rows) {
    MemberSamples samples;
    for (const std::uint32_t value : members) ++samples.members_[value];
    // A population with v different values has more than v - rows different samples.
    if (samples.members_.size() > kMostSamples + rows) return too_many();
    HEARSAY_CHECK_OK(samples.extend(samples.members_.begin(), rows, {1, {}}));
    return samples;
  }

  const std::vector<MemberSample>& list() const { return list_; }
  double all() const { return static_cast<double>(all_); }

  static bool are_neighbours(const Rows& first, const Rows& second) {
    Rows only_first;
    std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(only_first));
    return only_first.size() == 1;
  }

 private:
  using Members = std::map<std::uint32_t, std::uint64_t>;

  Result<void> extend(Members::const_iterator value, std::uint32_t left, const MemberSample& before) {
    if (left == 0) return add(before);
    if (value == members_.end()) return {};
    MemberSample sample = before;
    for (std::uint64_t taken = 0; taken <= std::min<std::uint64_t>(left, value->second); ++taken) {
      if (taken > 0) {
        // C(m, k) = C(m, k-1)·(m-k+1)/k, where m is the number of members with this value.
        sample.ways = sample.ways * (value->second - taken + 1) / taken;
        sample.rows.push_back(value->first);
        if (sample.ways > kMostMemberSamples) return too_many();
      }
      HEARSAY_CHECK_OK(extend(std::next(value), left - static_cast<std::uint32_t>(taken), sample));
    }
    return {};
  }

  Result<void> add(const MemberSample& sample) {
    list_.push_back(sample);
    all_ += sample.ways;
    if (list_.size() > kMostSamples || all_ > kMostMemberSamples) return too_many();
    return {};
  }

  static Error too_many() {
    return {ErrorCode::kDomainTooLarge,
            "there are more than 512 different samples, or more than 2^26 samples of members: take fewer rows, or a "
            "smaller population"};
  }

  static constexpr std::uint64_t kMostMemberSamples = std::uint64_t{1} << 26U;
  Members members_;
  std::vector<MemberSample> list_;
  std::uint64_t all_ = 0;
};

struct WeightedLoss {
  double loss;
  double weight;  // the number of pairs of samples that have this loss
};

// Returns the least loss L such that the losses above L have at most the share beta of the weight `total`.
double all_but(std::vector<WeightedLoss> losses, double beta, double total) {
  std::sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.loss > b.loss; });
  const double most = beta * total * (1 + 1e-12);
  double above = 0;
  for (const WeightedLoss& loss : losses) {
    above += loss.weight;
    if (above > most) return loss.loss;
  }
  return 0;
}

}  // namespace

Result<DistributionalLoss> distributional_loss(const AuditedMechanism& mechanism, std::optional<double> asked) {
  const Universe& universe = mechanism.universe;
  HEARSAY_CHECK_OK(check_request(universe, asked));
  HEARSAY_CHECK_OK(check_domain(universe));
  HEARSAY_TRY(const SampleLosses losses, SampleLosses::compute(mechanism));
  const double largest_beta = 1 / ((universe.rows + 1.0) * (universe.rows + 1.0));
  const double beta = asked.value_or(largest_beta * kJustBelow);
  DistributionalLoss found{-1, 0, {}, beta, losses.largest_between_neighbours(), largest_beta, 0};
  for (std::uint32_t set = 0; set < std::uint32_t{1} << universe.domain; ++set) {
    if (std::popcount(set) < static_cast<int>(universe.rows)) continue;
    const auto sizes = losses.within(set);
    std::vector<double> low;
    std::vector<double> high;
    for (const auto& [least, most] : sizes) {
      low.push_back(least);
      high.push_back(most);
    }
    ++found.populations;
    found.alpha_high = std::max(found.alpha_high, all_but(std::move(high), beta));
    const double alpha = all_but(std::move(low), beta);
    if (alpha <= found.alpha_low) continue;
    found.alpha_low = alpha;
    found.population = rows_of(set, universe.domain);
  }
  return found;
}

Result<DistributionalLoss> distributional_loss(const AuditedMechanism& mechanism, std::vector<std::uint32_t> members,
                                               std::optional<double> asked) {
  const Universe& universe = mechanism.universe;
  HEARSAY_CHECK_OK(check_request(universe, asked));
  std::sort(members.begin(), members.end());
  if (members.size() < universe.rows || (!members.empty() && members.back() >= universe.domain)) {
    return Error{ErrorCode::kInvalidArgument, "the population must have at least " + std::to_string(universe.rows) +
                                                  " members, with values below " + std::to_string(universe.domain)};
  }
  HEARSAY_TRY(const MemberSamples samples, MemberSamples::list(members, universe.rows));
  const double total = samples.all() * samples.all();
  DistributionalLoss found{0, 0, std::move(members), 0, 0, 1, 1};
  std::vector<WeightedLoss> low;
  std::vector<WeightedLoss> high;
  bool neighbours = false;
  for (const MemberSample& first : samples.list()) {
    for (const MemberSample& second : samples.list()) {
      HEARSAY_TRY(const PairLoss loss, mechanism.loss(first.rows, second.rows));
      const LossSize size = size_of(loss);
      const double weight = static_cast<double>(first.ways) * static_cast<double>(second.ways);
      low.push_back({size.low, weight});
      high.push_back({size.high, weight});
      if (!MemberSamples::are_neighbours(first.rows, second.rows)) continue;
      neighbours = true;
      found.differential_low = std::max(found.differential_low, size.low);
      found.largest_beta = std::min(found.largest_beta, weight / total);
    }
  }
  if (!neighbours) return Error{ErrorCode::kInvalidArgument, "no two samples of this population differ in one row"};
  found.beta = asked.value_or(found.largest_beta * kJustBelow);
  found.alpha_low = all_but(std::move(low), found.beta, total);
  found.alpha_high = all_but(std::move(high), found.beta, total);
  return found;
}

}  // namespace hearsay::central
