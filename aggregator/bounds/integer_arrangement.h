// Rounds arrangements to integers, for tasks.
#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/bounds/arrangement_margins.h"
#include "aggregator/bounds/sign_matrix.h"
#include "hearsay/mechanism.h"
#include "hearsay/query.h"
#include "hearsay/result.h"
#include "hearsay/schema.h"

namespace hearsay::bounds {

struct IntegerArrangement {
  ExplicitSpec spec;
  double before;  // γ̃_min of the arrangement
  double after;   // γ̃_min of the integers
};

// Rounds an arrangement to integers from -127 to 127. All record vectors have one common scale. Each query's vector has
// a scale of its own. `matrix`, `queries` and `schema` must describe the same class. The arrangement's records must
// have the order of matrix_of().
//
// Leaves out coordinates that are 0 in all record vectors or in all queries' vectors. (The padding of a projection is
// such a coordinate, and would only add noise.) Leaves out constant queries, queries that round to 0, and queries with
// the text of an earlier query. Errors: kInvalidArgument (no query, or no coordinate, is left), kLimitExceeded (more
// than 2^20 entries).
Result<IntegerArrangement> integer_arrangement(const SignMatrix& matrix, const VectorArrangement& arrangement,
                                               const Schema& schema, const std::vector<Query>& queries);

// A class of queries about M numbered records. The only attribute is `record`, a range from 0 to M - 1. Each column of
// the matrix gives a query that holds for the column's records. Errors: those of Attribute::range() (a single record).
struct NumberedClass {
  Schema schema;
  std::vector<Query> queries;
};
Result<NumberedClass> numbered_class(const SignMatrix& matrix);

}  // namespace hearsay::bounds
