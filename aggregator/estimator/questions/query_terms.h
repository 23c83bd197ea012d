// Prepares the terms of a compiled query, so that answers' scores can be multiplied.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "aggregator/estimator/questions/asked_blocks.h"
#include "aggregator/estimator/questions/question_index.h"
#include "aggregator/estimator/questions/score_table.h"

namespace hearsay::estimator {

// One factor of a term: g = mean + centred, a function of one attribute.
struct QueryPart {
  std::uint32_t axis;
  double mean;
  std::vector<double> weights;  // h
  std::vector<double> centred;  // M·h, one for each value
  double low;                   // the least of `centred`; `high` is the largest
  double high;
  ScoreTable scores;
};

// One term: factor·Π g.
struct QueryTerm {
  double factor;
  AxisSet axes;
  std::vector<QueryPart> parts;  // ascending axes
};

struct QueryTerms {
  std::vector<std::uint32_t> attributes;  // ascending
  std::vector<QueryTerm> terms;
};

// Prepares the terms. Errors: kInvalidArgument (a query of another task), kLimitExceeded (more than 64 attributes).
// Throws compiler::WorkStopped.
Result<QueryTerms> query_terms(const QuestionIndex& index, const compiler::LinearQuery& query, compiler::Work& work);

// Multiplied out, a term is a sum over the sets T of its attributes: factor·Π_{i not in T} mean_i·Π_{i in T} (g_i -
// mean_i). Returns factor·Π_{i not in T} mean_i for every T, with bit i of the index for the i-th part. The number is 0
// for the empty T, and for every T whose summand is 0 up to rounding. Throws compiler::WorkStopped.
std::vector<double> subset_factors(const QueryTerm& term, compiler::Work& work);

}  // namespace hearsay::estimator
