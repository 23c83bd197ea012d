// Keeps plans, to save time if the planner plans a workload again at another ε or with a part left out.
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
  std::map<std::string, std::vector<OneBitProposal>> one_bit_;  // by a text that stands for schema and workload
  std::map<std::tuple<std::uint32_t, double, std::uint32_t>, Result<RangeQuestions>> ranges_;
};

}  // namespace hearsay::planner
