// Compiles a query to a linear query over the characters.
#pragma once

#include <functional>
#include <span>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/characters.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

// Returns the variance of the estimated mean of a coordinate on exactly `attributes` (ascending), up to a common
// factor. All coordinates on the same attributes have the same variance. The variance is positive, and infinite if the
// task does not ask about the coordinate. The compiler calls this function only for attributes that the query depends
// on, and only if some bit patterns stand for no value.
using SubsetVariance = std::function<double(std::span<const std::uint32_t> attributes)>;

// Returns the linear query with offset + ⟨a(x), g⟩ = f(x) for every record x. Here a(x) are the coordinates of x, and f
// is the query. The weights g are the Walsh–Hadamard transform of f over the bits of the attributes that f depends on.
// Where bit patterns stand for no value, f may have any values; the compiler chooses the values for which Σ_j
// variance_j·g_j² is least. Guarantee: worst-case.
//
// Errors: kQueryNotCovered (the query depends on more than order() attributes; the message says on how many),
// kLimitExceeded (the query touches more than order() attributes, and their cells have more than 2^22 combinations,
// too many to see which attributes matter), kInvalidArgument (variance). Throws WorkStopped. Cost: about B·2^B steps,
// where B is the number of bits of the attributes that f depends on. With k attributes whose values leave bit patterns
// unused, up to about 3^k times as much. Thread-safe.
Result<LinearQuery> compile_characters(const Query& query, const Schema& schema, const Characters& characters,
                                       const SubsetVariance& variance, Work& work);

}  // namespace hearsay::compiler
