// Comparisons of integer sums, brought to the normal forms of format.md.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/int128.h"
#include "hearsay/query.h"

namespace hearsay::query {

enum class Relation : std::uint8_t { kGreaterEqual, kLessEqual, kGreater, kLess, kEqual, kNotEqual };

// Σ coefficient·value + constant, as written: attributes may repeat. Both are sums of at most 2^16 numbers of at most
// 2^63.
struct Sum {
  struct Term {
    Int128 coefficient;
    std::uint32_t attribute;
  };
  std::vector<Term> terms;
  Int128 constant = 0;
};

// The query `left relation right`. No attribute may be categorical. Errors: kQuerySyntax if no attribute is named,
// kQueryTooLarge if a coefficient or bound leaves its range; messages are without position.
Result<Query> compare(const Schema& schema, const Sum& left, Relation relation, const Sum& right);

}  // namespace hearsay::query
