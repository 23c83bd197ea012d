// Compilation of a query to products of functions of one attribute each, for tasks that ask questions of any kind.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/characters.h"
#include "common/channel/sampled.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

// Returns the query as LinearQuery::terms: offset + Σ terms is f for every record. Each part has the least energy, see
// question_law.h. A box, the negation of a box and a query on one attribute are one term. Guarantee: worst-case.
//
// The task need not ask about a set of the query's attributes if the parts of the terms on that set cancel. Then the
// compiler multiplies the terms out, so that no term needs the set.
//
// Errors: kQueryNotCovered (the query depends on more than order() attributes, or on a set of attributes that the task
// never asks about, or tells values of an attribute apart that the task's questions do not; the message names them);
// kLimitExceeded as of relevant_table(). Throws WorkStopped. Thread-safe.
Result<LinearQuery> compile_products(const Query& query, const Schema& schema, const Characters& characters,
                                     const SampledChannel& channel, Work& work);

}  // namespace hearsay::compiler
