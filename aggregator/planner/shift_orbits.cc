#include "aggregator/planner/shift_orbits.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace hearsay::planner {
namespace {

// A function's values and, last, its weight. Functions that are each other's negations have the same key.
using Key = std::vector<double>;

Key key_of(std::vector<double> values, double weight) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double sum = *least + *most;
  Key negation;
  for (const double value : values) negation.push_back(sum - value);
  Key key = std::min(std::move(values), std::move(negation));
  key.push_back(weight);
  return key;
}

}  // namespace

Shifts::Shifts(const std::vector<std::uint32_t>& values) : records_(1), sums_{0} {
  for (const std::uint32_t count : values) {
    const std::size_t records = records_ * count;
    std::vector<std::uint32_t> sums(records * records);
    for (std::size_t x = 0; x < records; ++x) {
      for (std::size_t s = 0; s < records; ++s) {
        const auto of_last = static_cast<std::uint32_t>((x % count + s % count) % count);
        sums[x * records + s] = sums_[x / count * records_ + s / count] * count + of_last;
      }
    }
    records_ = records;
    sums_ = std::move(sums);
  }
}

ShiftWorkload up_to_shifts(const ExplicitWorkload& workload, const Shifts& shifts) {
  std::map<Key, std::vector<Eigen::Index>> queries;
  const Eigen::Index count = workload.functions.cols();
  const auto values_of = [&](Eigen::Index query) {
    const auto column = workload.functions.col(query);
    return std::vector<double>(column.data(), column.data() + column.size());
  };
  const auto weight_of = [&](Eigen::Index query) { return workload.weights[static_cast<std::size_t>(query)]; };
  for (Eigen::Index i = 0; i < count; ++i) queries[key_of(values_of(i), weight_of(i))].push_back(i);

  ShiftWorkload result;
  std::vector<Eigen::Index> representatives;
  std::vector<bool> seen(static_cast<std::size_t>(count), false);
  for (Eigen::Index i = 0; i < count; ++i) {
    if (seen[static_cast<std::size_t>(i)]) continue;
    representatives.push_back(i);
    const std::vector<double> values = values_of(i);
    double alike = 0;
    for (std::size_t s = 0; s < shifts.records(); ++s) {
      const auto found = queries.find(key_of(shifts.shifted(values, s), weight_of(i)));
      if (found == queries.end()) return {workload, false};
      for (const Eigen::Index query : found->second) {
        if (seen[static_cast<std::size_t>(query)]) continue;
        seen[static_cast<std::size_t>(query)] = true;
        alike += workload.counts[static_cast<std::size_t>(query)];
      }
    }
    result.queries.counts.push_back(alike);
    result.queries.weights.push_back(weight_of(i));
    result.queries.names.push_back(workload.names[static_cast<std::size_t>(i)]);
  }
  result.queries.functions = workload.functions(Eigen::all, representatives);
  return result;
}

StrategySets up_to_shifts(const StrategySets& outputs, const Shifts& shifts, std::size_t most) {
  std::map<std::vector<bool>, double> weights;
  std::vector<std::size_t> order(outputs.sets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return outputs.weights[a] > outputs.weights[b]; });
  for (const std::size_t k : order) weights[outputs.sets[k]] += outputs.weights[k];
  StrategySets result;
  result.shifts = true;
  for (const std::size_t k : order) {
    const RecordSet& set = outputs.sets[k];
    if (result.sets.size() >= most || weights.find(set) == weights.end()) continue;
    double sum = 0;
    for (std::size_t s = 0; s < shifts.records(); ++s) {
      const auto found = weights.find(shifts.shifted(set, s));
      if (found == weights.end()) continue;
      sum += found->second;
      weights.erase(found);
    }
    result.sets.push_back(set);
    result.weights.push_back(sum / static_cast<double>(shifts.records()));
  }
  return result;
}

std::vector<bool> least_shift(const std::vector<bool>& set, const Shifts& shifts) {
  std::vector<bool> least = set;
  for (std::size_t s = 1; s < shifts.records(); ++s) least = std::min(least, shifts.shifted(set, s));
  return least;
}

}  // namespace hearsay::planner
