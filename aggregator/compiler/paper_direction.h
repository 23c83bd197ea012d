// Finds the linear separators of section 6 of Aldà and Simon 2014.
#pragma once

#include "aggregator/compiler/direction.h"
#include "aggregator/compiler/query_form.h"
#include "common/arrangement/literals.h"

namespace hearsay::compiler {

// Returns integer weights v and a threshold t with f(x) = 1 iff ⟨v, a(x)⟩ >= t, as in (23). t lies between two
// attainable sums. Decision lists of single literals get the weights of Theorem 9. Monomials, clauses and boxes are
// decision lists with one label change and get weights ±1. Linear thresholds keep their own weights. The form must not
// be constant.
//
// An item may also be a disjunction of literals; the function replaces it by one item for each literal. The last item
// may be a conjunction. Errors: kQueryNotCovered, with the reason.
Result<WeightVector> separator(const QueryForm& form, const Schema& schema, const Literals& literals, Work& work);

}  // namespace hearsay::compiler
