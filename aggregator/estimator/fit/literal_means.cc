#include "aggregator/estimator/fit/literal_means.h"

#include <bit>
#include <cmath>

#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

Error another_task() { return Error{ErrorCode::kInvalidArgument, "the tally is of another task"}; }

// Leaves out the last coordinate of the calibration `paper`, which tells nothing about the record.
Result<std::vector<LiteralMean>> means_of(const LaplaceChannel& channel, const tally::LaplaceTally& tally,
                                          std::size_t dimension) {
  if (tally.sum.size() != channel.coordinates()) return another_task();
  std::vector<LiteralMean> means(dimension);
  const auto reports = static_cast<double>(tally.reports);
  for (std::size_t j = 0; j < dimension; ++j) {
    // The noise Y of scale t has Pr[Y ≠ 0] = 2q/(1+q) with q = exp(-1/t).
    const double q = std::exp(-1 / channel.scale(j).approximate());
    means[j] = {.mean = reports > 0 ? static_cast<double>(tally.sum[j]) / reports : 0,
                .reports = reports,
                .group = 0,
                .gamma = 1,
                .noise = channel.noise_variance(j),
                .step = 1,
                .disturbed = reports * 2 * q / (1 + q)};
  }
  return means;
}

Result<std::vector<LiteralMean>> means_of(const SampledChannel& channel, const tally::SampledTally& tally,
                                          std::size_t dimension) {
  if (channel.dimension() != dimension) return another_task();
  std::vector<LiteralMean> means(dimension);
  std::vector<SampledChannel::Covered> covered;
  std::vector<tally::SampledTally::Entry> of_group;
  const auto count_group = [&] {
    if (of_group.empty()) return;
    const std::uint64_t group = of_group.front().group;
    double reports = 0;
    for (const auto& entry : of_group) reports += static_cast<double>(entry.count);
    const double gamma = channel.gamma(channel.class_of(group));
    channel.covered(group, covered);
    for (const auto& [coordinate, answer_mask] : covered) {
      double sum = 0;
      for (const auto& entry : of_group) {
        const bool negative = (std::popcount(entry.answer & answer_mask) & 1) != 0;
        sum += (negative ? -1.0 : 1.0) * static_cast<double>(entry.count);
      }
      means[coordinate] = {.mean = sum / (gamma * reports),
                           .reports = reports,
                           .group = group,
                           .gamma = gamma,
                           .noise = 0,
                           .step = 2 / gamma,
                           .disturbed = reports * (1 - gamma)};
    }
    of_group.clear();
  };
  bool known = true;
  tally.for_each([&](const tally::SampledTally::Entry& entry) {
    known = known && entry.group < channel.groups();
    if (!known) return;
    if (!of_group.empty() && of_group.front().group != entry.group) count_group();
    of_group.push_back(entry);
  });
  if (!known) return another_task();
  count_group();
  return means;
}

}  // namespace

Result<std::vector<LiteralMean>> literal_means(const Task& task, const tally::Tally& tally) {
  const std::size_t dimension = task.arrangement().dimension();
  if (const auto* channel = std::get_if<LaplaceChannel>(&task.channel().kind())) {
    const auto* counts = std::get_if<tally::LaplaceTally>(&tally.kind());
    if (counts == nullptr) return another_task();
    return means_of(*channel, *counts, dimension);
  }
  const auto* counts = std::get_if<tally::SampledTally>(&tally.kind());
  if (counts == nullptr) return another_task();
  return means_of(std::get<SampledChannel>(task.channel().kind()), *counts, dimension);
}

}  // namespace hearsay::estimator
