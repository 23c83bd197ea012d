#include "aggregator/store/postgres/seal_day.h"

#include <algorithm>
#include <limits>

namespace hearsay::store::postgres {
namespace {

// With a long expiry age, many days share a partition, so that a task does not get thousands of partitions.
std::uint64_t days_together(std::uint64_t age_in_days) {
  if (age_in_days <= 300) return 1;
  return age_in_days <= 5000 ? 64 : 4096;
}

}  // namespace

std::int32_t seal_day(const Task& task, UnixSeconds window) {
  const std::uint64_t age = task.spec().report_expiry_age;
  if (age == 0 || window >= task.end()) return kNever;
  const std::uint64_t wait = task.spec().time_precision + age;
  const std::uint64_t step = days_together(wait / kSecondsPerDay);
  const std::uint64_t day = (window + wait) / kSecondsPerDay;
  const std::uint64_t last = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min((day + step - 1) / step * step, last));
}

std::string name_of_day(std::int32_t day) { return day == kNever ? "never" : std::to_string(day); }

}  // namespace hearsay::store::postgres
