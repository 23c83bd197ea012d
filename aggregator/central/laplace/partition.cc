#include "aggregator/central/laplace/partition.h"

#include <algorithm>
#include <utility>

#include "common/base/try.h"

namespace hearsay::central {
namespace {

constexpr std::size_t kMostRegions = std::size_t{1} << 20U;
constexpr std::uint32_t kLargestDomain = std::uint32_t{1} << 26U;

Result<std::vector<std::uint32_t>> region_of_each_value(std::uint32_t domain, const std::vector<Region>& regions) {
  const auto none = static_cast<std::uint32_t>(regions.size());
  std::vector<std::uint32_t> region_of(domain, none);
  for (std::uint32_t i = 0; i < none; ++i) {
    if (!regions[i].statistic) return Error{ErrorCode::kInvalidArgument, "a region has no function"};
    for (const std::uint32_t member : regions[i].members) {
      if (member >= domain) return Error{ErrorCode::kInvalidArgument, "a region holds a value outside the domain"};
      if (region_of[member] != none) return Error{ErrorCode::kInvalidArgument, "the regions overlap"};
      region_of[member] = i;
    }
  }
  return region_of;
}

std::int64_t answer_of(const Region& region, std::span<const std::uint32_t> rows) {
  try {
    return region.statistic(rows);
  } catch (...) {
    return 0;
  }
}

}  // namespace

Result<Partition> Partition::create(const Epsilon& epsilon, std::uint32_t domain, std::vector<Region> regions,
                                    Neighbours neighbours) {
  if (regions.empty()) return Error{ErrorCode::kInvalidArgument, "a partition needs at least one region"};
  if (regions.size() > kMostRegions) return Error{ErrorCode::kLimitExceeded, "there may be at most 2^20 regions"};
  if (domain > kLargestDomain) return Error{ErrorCode::kDomainTooLarge, "the domain may have at most 2^26 values"};
  HEARSAY_TRY(std::vector<std::uint32_t> region_of, region_of_each_value(domain, regions));
  Rational most;
  for (const Region& region : regions) most = std::max(most, region.sensitivity);
  HEARSAY_TRY(const Rational sensitivity, most.times(whole(neighbours == Neighbours::kReplaceOne ? 2 : 1)));
  HEARSAY_TRY(const LaplaceMechanism laplace, LaplaceMechanism::create(epsilon, sensitivity, neighbours));
  return Partition(laplace, std::move(regions), std::move(region_of));
}

std::vector<std::int64_t> Partition::statistic(std::span<const std::uint32_t> rows) const {
  std::vector<std::vector<std::uint32_t>> parts(regions_.size());
  for (const std::uint32_t row : rows) {
    if (row < region_of_.size() && region_of_[row] < parts.size()) parts[region_of_[row]].push_back(row);
  }
  std::vector<std::int64_t> answers;
  answers.reserve(regions_.size());
  for (std::size_t i = 0; i < regions_.size(); ++i) answers.push_back(answer_of(regions_[i], parts[i]));
  return answers;
}

std::vector<std::int64_t> Partition::release(std::span<const std::uint32_t> rows, BitSource& bits) const {
  return laplace_.release(statistic(rows), bits);
}

}  // namespace hearsay::central
