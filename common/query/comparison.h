// Brings comparisons of integer sums to the normal forms of format.md.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/int128.h"
#include "hearsay/query.h"

namespace hearsay::query {

enum class Relation : std::uint8_t { kGreaterEqual, kLessEqual, kGreater, kLess, kEqual, kNotEqual };

// Σ coefficient·value + constant, as written, so attributes may repeat. The coefficients and the constant are sums of
// at most 2^16 numbers of at most 2^63.
struct Sum {
  struct Term {
    Int128 coefficient;
    std::uint32_t attribute;
  };
  std::vector<Term> terms;
  Int128 constant = 0;
};

// Returns the query `left relation right`. No attribute may be categorical. Errors: kQuerySyntax (no attribute is
// named), kQueryTooLarge (a coefficient or bound leaves its range). The messages do not name line and column.
Result<Query> compare(const Schema& schema, const Sum& left, Relation relation, const Sum& right);

}  // namespace hearsay::query
