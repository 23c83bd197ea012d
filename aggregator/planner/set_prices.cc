#include "aggregator/planner/set_prices.h"

#include <algorithm>
#include <cmath>

namespace hearsay::planner {

SetPrices::SetPrices(const SampledChannel& channel, std::span<const std::uint32_t> attributes)
    : information_(std::size_t{1} << attributes.size(), 0.0), noise_(information_.size(), 0.0) {
  std::vector<std::vector<std::uint32_t>> on(information_.size());
  for (std::uint32_t set = 1; set < on.size(); ++set) {
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if ((set >> i & 1U) != 0) on[set].push_back(attributes[i]);
    }
    information_[set] = channel.set_information(on[set]);
  }
  for (const SampledChannel::GroupClass& group_class : channel.classes()) {
    Class one{group_class.kind == GroupKind::kSingle, channel.gamma(group_class), {0}, {false}};
    for (std::uint32_t set = 1; set < on.size(); ++set) {
      one.chances.push_back(channel.asks_about(group_class, on[set], {}));
      one.covers.push_back(one.chances.back() > 0 && SampledChannel::covers_sets_of(group_class, on[set].size()));
    }
    if (std::find(one.covers.begin(), one.covers.end(), true) != one.covers.end()) classes_.push_back(std::move(one));
  }
  for (std::uint32_t set = 1; set < on.size(); ++set) {
    // The square of a single group's φ_T (set_prices.h) does not depend on the answer, so the whole square is noise.
    for (const Class& one : classes_) {
      if (!one.covers[set]) continue;
      const double part = one.chances[set] * one.gamma * one.gamma * (one.is_single ? 1 : 1 - one.gamma);
      noise_[set] += part / (information_[set] * information_[set]);
    }
  }
}

double SetPrices::sum(std::uint32_t set, std::uint32_t other, bool singles, int power) const {
  double sum = 0;
  for (const Class& one : classes_) {
    if (!one.covers[set] || !one.covers[other] || (one.is_single && !(singles && set == other))) continue;
    sum += one.chances[set | other] * std::pow(one.gamma, power);
  }
  return sum == 0 ? 0 : sum / (information_[set] * information_[other]);
}

double SetPrices::signal(std::uint32_t set, std::uint32_t other) const { return sum(set, other, false, 3); }
double SetPrices::mean(std::uint32_t set, std::uint32_t other) const { return sum(set, other, true, 4); }

double SetPrices::largest(std::span<const double> sizes) const {
  double largest = 0;
  for (const Class& one : classes_) {
    for (std::uint32_t asked = 1; asked < sets(); ++asked) {
      if (!(one.chances[asked] > 0)) continue;
      double size = 0;
      for (std::uint32_t set = asked; set != 0; set = (set - 1) & asked) {
        if (one.covers[set] && (!one.is_single || set == asked)) size += sizes[set] / information_[set];
      }
      largest = std::max(largest, one.gamma * size);
    }
  }
  return largest;
}

}  // namespace hearsay::planner
