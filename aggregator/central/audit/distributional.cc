#include "aggregator/central/audit/distributional.h"

#include <algorithm>
#include <bit>
#include <cmath>
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

Result<void> check_request(const Universe& universe, double beta) {
  if (universe.neighbours != Neighbours::kReplaceOne) {
    return Error{ErrorCode::kInvalidArgument, "distributional privacy is about samples of a public size: replace-one"};
  }
  if (universe.domain <= universe.rows || !(beta >= 0 && beta < 1)) {
    return Error{ErrorCode::kInvalidArgument, "the domain needs more values than rows, and beta lies in [0, 1)"};
  }
  if (universe.domain > kMostValues) {
    return Error{ErrorCode::kDomainTooLarge, "samples are enumerated out of at most 16 values"};
  }
  return {};
}

// The loss of every ordered pair of samples.
class SampleLosses {
 public:
  static Result<SampleLosses> compute(const AuditedMechanism& mechanism) {
    const Universe& universe = mechanism.universe;
    SampleLosses losses;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << universe.domain; ++set) {
      if (std::popcount(set) == static_cast<int>(universe.rows)) losses.samples_.push_back(set);
    }
    if (losses.samples_.size() > kMostSamples) {
      return Error{ErrorCode::kDomainTooLarge, "more than 512 samples; take a smaller domain"};
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

  // Returns the losses between samples of one population.
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
  std::vector<std::pair<double, double>> sizes_;  // low, high
};

// Returns the least value that bounds all sorted values except a share beta.
double all_but(std::vector<double> values, double beta) {
  std::sort(values.begin(), values.end());
  const auto exceeding = static_cast<std::size_t>(std::floor(beta * static_cast<double>(values.size()) * (1 + 1e-12)));
  return values[values.size() - 1 - exceeding];
}

}  // namespace

Result<DistributionalLoss> distributional_loss(const AuditedMechanism& mechanism, double beta) {
  const Universe& universe = mechanism.universe;
  HEARSAY_CHECK_OK(check_request(universe, beta));
  HEARSAY_TRY(const SampleLosses losses, SampleLosses::compute(mechanism));
  DistributionalLoss found{-1, 0, {}, losses.largest_between_neighbours(), 0};
  std::uint64_t pairs = 0;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << universe.domain; ++set) {
    if (std::popcount(set) < static_cast<int>(universe.rows)) continue;
    const auto sizes = losses.within(set);
    pairs += sizes.size();
    if (pairs > kMostSamplePairs) return Error{ErrorCode::kDomainTooLarge, "more than 2^22 pairs of samples"};
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

}  // namespace hearsay::central
