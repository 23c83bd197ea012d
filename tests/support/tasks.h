// Small valid tasks for tests that need one.
#pragma once

#include <string>

#include "hearsay/task.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

inline constexpr std::uint64_t kTaskStart = 1'700'006'400;  // midnight
inline constexpr std::uint64_t kDay = 86'400;

// Returns a task over schema_of(shape) that runs for `days` days from kTaskStart, in windows of a day.
inline Task small_task(const std::string& shape, const std::string& epsilon = "1", std::uint64_t days = 10,
                       LaplaceCalibration calibration = LaplaceCalibration::kTight) {
  return Task::create({"small task", schema_of(shape), LiteralsSpec{}, LaplaceSpec{calibration, {}},
                       Epsilon::parse(epsilon).value(), kTaskStart, days * kDay, kDay, 1})
      .value();
}

}  // namespace hearsay::tests
