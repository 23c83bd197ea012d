// Turns approximate answers into a database, by a linear program.
#pragma once

#include <span>
#include <vector>

#include "aggregator/central/synthetic/query_class.h"

namespace hearsay::central {

struct ConsistentDatabase {
  std::vector<double> weights;  // D' >= 0, one weight for each element
  double error;                 // max_q |q(D') - answer|, computed from `weights`
};

inline constexpr std::size_t kMostProgramWeights = std::size_t{1}
                                                   << 18U;  // the number of queries times the number of elements

// Returns the D' with non-negative weights for which the largest difference between an answer of D' and the given
// answer is least. If every answer is within e of the truth about some database, D' is within 2e of that truth for
// every query. The answers of D' are consistent with each other. Reads only answers, so the call costs no privacy. Roth
// 2010, footnote 1. Errors: kInvalidArgument unless there is one finite answer for each query; kDomainTooLarge above
// kMostProgramWeights weights; kInternal if the solver finds no optimum.
Result<ConsistentDatabase> consistent_database(const QueryClass& queries, std::span<const double> answers);

}  // namespace hearsay::central
