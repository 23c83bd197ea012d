// The direction in which a query is read off the coordinates.
#pragma once

#include <span>
#include <vector>

#include "aggregator/compiler/class_laws.h"
#include "aggregator/compiler/linear_query.h"
#include "common/arrangement/literals.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// A vector v of any length over the coordinates and a threshold t, such that f(x) = 1 iff ⟨v, a(x)⟩ >= t, which is
// (23). Only kPaper uses t.
struct WeightVector {
  std::vector<LinearQuery::Weight> weights;  // ascending coordinates, non-zero
  double threshold = 0;

  double squared_norm() const;
};

// Returns v_j = δ_j/variance_j with δ = E[a|f=1] - E[a|f=0]. By the Cauchy–Schwarz inequality this v minimises Σ
// v_j²·variance_j/⟨v,δ⟩², the noise of the estimate. If all variances are equal, v is parallel to δ and so maximises
// γ̃(f) = ½⟨v,δ⟩/(√d·‖v‖). Errors: kQueryNotVisible if δ = 0.
Result<WeightVector> maximum_margin(const ClassLaws& laws, const Schema& schema, const Literals& literals,
                                    std::span<const double> noise_variance);

// Returns what each value of an attribute adds to ⟨a(x), v⟩, for the attributes that have a weight, ascending.
std::vector<AttributeScore> scores_of(const WeightVector& vector, const Schema& schema, const Literals& literals);

}  // namespace hearsay::compiler
