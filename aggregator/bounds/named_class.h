// The classes of queries that have a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/bounds/sign_matrix.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::bounds {

// A class over k attributes x1 to xk. No query of it is constant, and no two are equal or negations of each other.
//
// | name           | attributes               | queries                                                    |
// |----------------|--------------------------|------------------------------------------------------------|
// | monomials      | boolean                  | conjunctions of 1 to `size` literals of different attributes |
// | clauses        | boolean                  | disjunctions of 1 to `size` literals of different attributes |
// | parities       | boolean                  | exclusive ors of 1 to `size` attributes                    |
// | decision-lists | boolean, at most 4       | decision lists of single literals with at most `size` changes of the
// label | | boxes          | ranges of `values`       | conjunctions of a range of values of each attribute        | |
// thresholds     | ranges of `values`       | [xi >= t] for each attribute i and t                       |
//
// Monomials and clauses of `size` 1 hold a literal and not its negation.
struct ClassSpec {
  std::string name;
  std::uint32_t attributes = 1;       // k
  std::optional<std::uint32_t> size;  // without: k
  std::uint32_t values = 2;           // of each attribute of boxes and thresholds
};

struct NamedClass {
  Schema schema;
  std::vector<Query> queries;
  SignMatrix matrix;  // rows: all records, in lexicographic order of their value indices
};

std::vector<std::string> class_names();

// Errors: kInvalidArgument (an unknown name, a number out of range), kLimitExceeded (too large a matrix).
Result<NamedClass> make_class(const ClassSpec& spec);

// The matrix of queries over all records of a schema, in lexicographic order. Errors: those of SignMatrix::create(),
// kLimitExceeded (too many records).
Result<SignMatrix> matrix_of(const Schema& schema, const std::vector<Query>& queries);

}  // namespace hearsay::bounds
