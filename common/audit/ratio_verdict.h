// The last step of an audit that looks for the largest ratio of two probabilities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/audit/audit.h"
#include "common/audit/wide_fraction.h"

namespace hearsay {

struct LargestRatio {
  WideFraction ratio{1, 1};
  std::size_t first = 0;  // indices of the two records with this ratio
  std::size_t second = 1;
  std::vector<std::int64_t> report;
};

// Compares the ratio with e^ε by certified bounds. `records` has all records of the task's asked_schema().
Result<AuditResult> verdict_of(const Task& task, const std::vector<Record>& records, LargestRatio worst);

}  // namespace hearsay
