#include "common/query/value_set.h"

#include <algorithm>

namespace hearsay::query {

ValueSet make_value_set(ValueSet intervals) {
  std::sort(intervals.begin(), intervals.end());
  ValueSet merged;
  for (const auto& [first, last] : intervals) {
    // `first - 1` is evaluated only if first > 0: an interval that starts at 0 overlaps any interval before it.
    if (!merged.empty() && (first <= merged.back().second || first - 1 == merged.back().second)) {
      merged.back().second = std::max(merged.back().second, last);
    } else {
      merged.emplace_back(first, last);
    }
  }
  return merged;
}

ValueSet complement(const ValueSet& values, std::uint32_t size) {
  ValueSet rest;
  std::uint32_t next = 0;  // the first index that is not handled yet
  for (const auto& [first, last] : values) {
    if (first > next) rest.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next < size) rest.emplace_back(next, size - 1);
  return rest;
}

bool contains(const ValueSet& values, std::uint32_t index) {
  const auto behind = std::upper_bound(values.begin(), values.end(), index,
                                       [](std::uint32_t i, const auto& interval) { return i < interval.first; });
  return behind != values.begin() && index <= std::prev(behind)->second;
}

std::uint64_t count(const ValueSet& values) {
  std::uint64_t total = 0;
  for (const auto& [first, last] : values) total += std::uint64_t{last} - first + 1;
  return total;
}

}  // namespace hearsay::query
