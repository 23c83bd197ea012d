// The linear separators of section 6 of Aldà and Simon 2014.
#pragma once

#include "aggregator/compiler/direction.h"
#include "aggregator/compiler/query_form.h"
#include "common/arrangement/literals.h"

namespace hearsay::compiler {

// Integer weights v and a threshold t, in the middle between two attainable sums, with f(x) = 1 iff ⟨v, a(x)⟩ >= t,
// which is (23). Monomials, clauses and boxes are decision lists with one label change and get weights ±1, decision
// lists of single literals those of Theorem 9, thresholds their own weights. The form must not be constant.
//
// A list's item may also be a disjunction of literals (it stands for one item each), and its last item a conjunction.
// Errors: kQueryNotCovered, with the reason.
Result<WeightVector> separator(const QueryForm& form, const Schema& schema, const Literals& literals, Work& work);

}  // namespace hearsay::compiler
