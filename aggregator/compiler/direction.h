// Chooses the weights, up to a factor, with which a query's answer is computed from the coordinates' means.
#pragma once

#include <span>
#include <vector>

#include "aggregator/compiler/class_laws.h"
#include "aggregator/compiler/linear_query.h"
#include "common/arrangement/literals.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

// A vector v over the coordinates, of any norm. With Direction::kPaper, there is also a threshold t: f(x) = 1 if and
// only if ⟨v, a(x)⟩ >= t, as in (23) of Aldà and Simon 2014.
struct WeightVector {
  std::vector<LinearQuery::Weight> weights;  // ascending coordinates, non-zero
  double threshold = 0;

  double squared_norm() const;
};

// Returns v_j = δ_j/variance_j with δ = E[a|f=1] - E[a|f=0], where a are a record's coordinates and f is the query. By
// the Cauchy–Schwarz inequality this v minimises the noise of the estimate, Σ_j v_j²·variance_j/⟨v,δ⟩². If all
// variances are equal, v is parallel to δ and so maximises the margin γ̃(f) = ½⟨v,δ⟩/(√d·‖v‖). Errors: kQueryNotVisible
// if δ = 0.
Result<WeightVector> maximum_margin(const ClassLaws& laws, const Schema& schema, const Literals& literals,
                                    std::span<const double> noise_variance);

// Returns the scores of the attributes that have a weight, by ascending attribute. The score of a value is the part of
// ⟨a(x), v⟩ that comes from this attribute.
std::vector<AttributeScore> scores_of(const WeightVector& vector, const Schema& schema, const Literals& literals);

}  // namespace hearsay::compiler
