// Keeps plans. These save time if a workload is planned again, at another ε or with one thing left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "aggregator/planner/one_bit_questions.h"
#include "aggregator/planner/wide_questions.h"
#include "aggregator/planner/workload.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Results do not depend on earlier calls. Thread-safety: one thread at a time.
class KnownPlans {
 public:
  // Returns the result of one_bit_questions().
  const std::vector<OneBitProposal>& one_bit(const Schema& schema, const Workload& workload);
  // Returns the result of range_questions().
  const Result<RangeQuestions>& ranges(std::uint32_t values, double epsilon, std::uint32_t attributes);

 private:
  std::map<std::string, std::vector<OneBitProposal>> one_bit_;  // by schema and workload, in words
  std::map<std::tuple<std::uint32_t, double, std::uint32_t>, Result<RangeQuestions>> ranges_;
};

}  // namespace hearsay::planner
