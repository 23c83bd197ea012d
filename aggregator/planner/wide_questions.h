// Plans tasks whose reports answer several bits about each attribute that they ask about.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/planner/workload.h"
#include "hearsay/mechanism.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// Questions about one ordered attribute, for ranges.
struct RangeQuestions {
  QuestionSpec questions;
  std::uint32_t bits;
  double limit_ratio;  // of the worst range, if each report asks about this attribute alone
};

// Returns arcs or sets of levels, with a width that suits ε: the better of the two for up to 64 values, arcs for 65 to
// 2^11 values, and sets of levels for more values. If a report asks about `attributes` attributes together, the answers
// share the report's bits. For more than 2^13 values, each question is one parity of one level, all levels are asked
// equally often, and `limit_ratio` is an estimate. `values` is at least 4. Errors: kInvalidArgument (fewer than 4
// values). Cost: up to two or three seconds for 1,024 values and more.
Result<RangeQuestions> range_questions(std::uint32_t values, double epsilon, std::uint32_t attributes = 1);

// Does the same as range_questions(), but may remember the results of earlier calls.
using FindRangeQuestions =
    std::function<Result<RangeQuestions>(std::uint32_t values, double epsilon, std::uint32_t attributes)>;

struct WideProposal {
  std::string name;  // for people: "characters, answers of several bits"
  SampledSpec spec;  // for `characters` of order_of(workload)
};

// Returns specifications that are worth ranking beside those of one-bit questions:
// - for Ranges, Prefixes, Means, Conjunctions of one literal, lists of queries on one attribute each, and mixtures of
//   them: groups that ask about each attribute alone, more often if its variance is larger;
// - for Boxes: all sets of attributes of the size of a box, with answers about each attribute;
// - for lists of queries that are products, and mixtures with them: the sets of attributes that the queries are about;
// - for all these workloads, if the attributes have few values: the values themselves as answers.
//
// Returns nothing for other workloads. Leaves out a specification if its answers would have too many bits, or if the
// ordered attributes need answers of different widths and a box has only some of these attributes. Calls `find` for
// each number of values of the ordered attributes.
std::vector<WideProposal> wide_questions(const Schema& schema, const Workload& workload, double epsilon,
                                         const FindRangeQuestions& find = range_questions);

}  // namespace hearsay::planner
