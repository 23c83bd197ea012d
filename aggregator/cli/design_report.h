// Prints the mechanisms that candidates() ranks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/console/output.h"
#include "aggregator/planner/candidates.h"
#include "aggregator/planner/what_if.h"

namespace hearsay::cli {

// Returns true if some parts of a mixture weigh more than others. The parts' errors then differ.
bool is_weighted(const planner::Workload& workload);

// Returns the table for people, with the candidates by rank, and the meaning of the columns. Candidates with the same
// description share a row. `choice` is the rank of the task that the user wants, from 1.
std::string text_of(const std::vector<planner::Candidate>& list, const planner::Wish& wish, std::size_t choice = 1);
// Returns a text for people: which values the task's reports cannot tell apart because of the task's cuts. Returns an
// empty text if the task has no cuts. `whose` is the beginning of the sentence, such as "rank 1".
std::string cuts_text(const Task& task, const std::string& whose);
// Returns the table for CSV, with exact numbers.
console::Table table_of(const std::vector<planner::Candidate>& list);
Json json_of(const std::vector<planner::Candidate>& list);

// The numbers of users needed at other ε, with fewer queries and with coarser values. `users` is the number that the
// best candidate needs.
struct Changes {
  std::uint64_t users;
  std::vector<planner::WhatIf> epsilons;
  std::vector<planner::WhatIf> coarser;
  std::vector<planner::WhatIf> less;
};
Changes changes_of(const planner::Wish& wish, const planner::Candidate& best);
std::string text_of(const Changes& changes);
Json json_of(const Changes& changes);

}  // namespace hearsay::cli
