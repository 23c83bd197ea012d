// Compilation of a query to products of functions of one attribute each, for tasks that ask questions of any kind.
#pragma once

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/characters.h"
#include "common/channel/sampled.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

// The query as LinearQuery::terms; offset + Σ terms is f for every record. Each part has the least energy, see
// question_law.h. A box, the negation of a box and a query on one attribute are one term. Guarantee: worst-case.
//
// A set of the query's attributes may be left out of the task's questions if the parts of the terms that need it cancel:
// the terms are multiplied out then, so that none needs the set.
//
// Errors: kQueryNotCovered (the query depends on more than order() attributes; on a set of attributes that is never
// asked about; on a difference of values that the questions about an attribute do not tell: the message names them),
// kLimitExceeded as of relevant_table(). Throws WorkStopped. Thread-safe.
Result<LinearQuery> compile_products(const Query& query, const Schema& schema, const Characters& characters,
                                     const SampledChannel& channel, Work& work);

}  // namespace hearsay::compiler
