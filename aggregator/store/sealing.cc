#include "aggregator/store/sealing.h"

#include <algorithm>

namespace hearsay::store {

UnixSeconds first_live_window(const Task& task, UnixSeconds now) {
  const std::uint64_t age = task.spec().report_expiry_age;
  const std::uint64_t precision = task.spec().time_precision;
  if (age == 0 || now < precision || now - precision < age) return 0;
  return std::min(task.window_of(now - precision - age) + precision, task.end());
}

}  // namespace hearsay::store
