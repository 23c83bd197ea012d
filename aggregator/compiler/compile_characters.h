// Compilation of a query to a linear query over the characters.
#pragma once

#include <functional>
#include <span>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/characters.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

// Variance of the debiased mean of a coordinate on exactly these attributes (ascending), up to a common factor; the
// same for all coordinates on them. Positive; infinite where the task does not ask about these coordinates. It is asked
// about sets of attributes that the query depends on, and only where bit patterns leave a choice.
using SubsetVariance = std::function<double(std::span<const std::uint32_t> attributes)>;

// offset + ⟨a(x), g⟩ = f(x) for every record x: the Walsh–Hadamard transform of f over the bits of the attributes it
// depends on. Bit patterns that stand for no value leave a choice, which is made to minimise Σ_j variance_j·g_j² (for
// equal variances, f is continued by its mean over the values that exist). Guarantee: worst-case.
//
// Errors: kQueryNotCovered if the query depends on more than order() attributes (it names how many), kLimitExceeded if
// the query touches more than order() attributes and too many combinations of values (2^22) to see which of them
// matter; kInvalidArgument (variance). Throws WorkStopped. Cost: about 2^Σb·Σb over the touched attributes.
// Thread-safe.
Result<LinearQuery> compile_characters(const Query& query, const Schema& schema, const Characters& characters,
                                       const SubsetVariance& variance, Work& work);

}  // namespace hearsay::compiler
