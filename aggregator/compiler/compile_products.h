// Compiles a query to products of functions of one attribute each, for tasks that ask questions other than parities of
// one bit.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/characters.h"
#include "common/channel/sampled.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

// Returns the query as LinearQuery::terms: offset + Σ terms is f(x), the query's answer, for every record x. Each
// function in a term has the least energy (question_law.h), so that the estimate varies little. A box, the negation of
// a box and a query on one attribute need one term. Guarantee: worst-case.
//
// Multiplied out, f is a sum of parts, one for each set of attributes. If the task never asks about a set, the part on
// this set must be 0, and the terms do not use the set.
//
// Errors: kQueryNotCovered (the query depends on more than order() attributes, or on a set of attributes that the task
// never asks about, or distinguishes values of an attribute that the task's questions cannot distinguish; the message
// names the attributes, or says on how many the query depends); kLimitExceeded as for relevant_table(). Throws
// WorkStopped. Thread-safe.
Result<LinearQuery> compile_products(const Query& query, const Schema& schema, const Characters& characters,
                                     const SampledChannel& channel, Work& work);

}  // namespace hearsay::compiler
