// Makes the named classes of queries, such as monomials.
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

// A class over k attributes x1 to xk. No query of the class is constant. No two queries are equal, or negations of each
// other. The names:
// - monomials: conjunctions of 1 to `size` literals of different booleans;
// - clauses: disjunctions of 1 to `size` literals of different booleans;
// - parities: exclusive ors of 1 to `size` booleans;
// - decision-lists: decision lists of single literals of at most 4 booleans, with at most `size` changes of the label;
// - boxes: conjunctions of a range of values of each attribute; an attribute has `values` values;
// - thresholds: [xi >= t] for each attribute i and each t; an attribute has `values` values.
// The class has only one of a literal and its negation.
struct ClassSpec {
  std::string name;
  std::uint32_t attributes = 1;  // k
  // If `size` is absent, the size is k.
  std::optional<std::uint32_t> size;
  std::uint32_t values = 2;  // of each attribute of boxes and thresholds
};

struct NamedClass {
  Schema schema;
  std::vector<Query> queries;
  // Rows are all records, in lexicographic order of their value indices.
  SignMatrix matrix;
};

std::vector<std::string> class_names();

// Errors: kInvalidArgument (an unknown name, a number out of range), kLimitExceeded (too large a matrix).
Result<NamedClass> make_class(const ClassSpec& spec);

// Returns the matrix of queries over all records of a schema, in lexicographic order. Errors: those of
// SignMatrix::create(), kLimitExceeded (too many records).
Result<SignMatrix> matrix_of(const Schema& schema, const std::vector<Query>& queries);

}  // namespace hearsay::bounds
