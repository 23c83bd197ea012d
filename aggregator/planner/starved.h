// Checks that a task asks often enough about the attributes of its queries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/planner/candidates.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Weights starve a query if the query takes at least kStarvedFactor times the users that the best task takes for all
// the queries. With the same people, the query's error is then at least ten times the error with the best task. The
// mechanisms that people compare differ by smaller factors.
constexpr std::uint64_t kStarvedFactor = 100;

// Checks the query that takes the most users in a plan. Errors: kQueryNotCovered (the weights of `sampled` on
// characters starve the query).
Result<void> check_not_starved(const Task& task, const WorkloadPlan& planned, const WorkloadPlan& best);

// Checks that the task answers every query and starves none. If no task answers all the queries, no query counts as
// starved. Errors: those of compiling a query. For `sampled` on characters also kQueryNotCovered (a query is starved,
// or takes more than 2^53 users; the message names the query and the attributes about which reports tell too little).
// Cost: that of candidates().
Result<void> check_answers(const Task& task, const std::vector<Query>& queries);

// Checks that queries about each attribute fit `budget`, the limit on the work of an answer. On circles of a million
// places with many multipliers, all queries may exceed the budget. Returns a warning for each attribute about which no
// query fits. Errors: kLimitExceeded (no query about any attribute fits; the message names one of the attributes).
// Cost: up to the budget for each attribute whose questions are on a circle of more than 2^13 places.
Result<std::vector<std::string>> check_some_fit(const Task& task, compiler::Cost budget = compiler::Work::kBudget);

}  // namespace hearsay::planner
