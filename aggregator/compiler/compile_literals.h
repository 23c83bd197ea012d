// Compilation of a query to a linear query over the literals.
#pragma once

#include <span>

#include "aggregator/compiler/compiled_query.h"
#include "common/arrangement/literals.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

enum class Direction : std::uint8_t {
  // g_j = (δ_j/v_j) / Σ δ_l²/v_l with δ = E[a|f=1] - E[a|f=0]: the least noise, for equal v the largest γ̃(f).
  kMaximumMargin,
  // The weights and threshold of section 6 of the paper in the homogeneous embedding (24). Coordinate number d, the
  // last, is the homogeneous one.
  kPaper,
};

// What the compiler must know of the channel.
struct CompileOptions {
  std::span<const double> noise_variance;  // per coordinate: d of them, or d+1 for kPaper
  Direction direction = Direction::kMaximumMargin;
  Reference reference{};  // kMaximumMargin only
  // Key of the records that are drawn if no exact way serves.
  Digest sample_key{};
};

// Compiles under the reference distribution. If the query depends on one attribute only, however the query is written,
// the result is worst-case and exact whatever the reference. No other query on literals is worst-case.
//
// With the uniform reference, class means and variances are exact (to rounding)
//   - for conjunctions, disjunctions, boxes and decision lists of conditions on single attributes,
//   - for integer thresholds (linear queries, at_least of such conditions) while the sum has few enough values,
//   - for any query that touches at most 2^22 combinations of values that the query tells apart.
// For all other queries they are averages over records drawn by the sample key (privacy does not depend on the key).
// LinearQuery::class_mean_variance holds their error.
//
// With a sample of records as the reference, half of each class's records choose the weights. The other half gives the
// class means and variances, and class_mean_variance holds their error.
//
// Errors: kQueryNotVisible (γ̃(f) = 0: both classes have the same mean embedding, or a sample shows no difference),
// kClassTooRare (a class has fewer than 32 sampled members, or fewer than 64 in a sample of records), kQueryNotCovered
// (kPaper: not a monomial, clause, box, decision list of single literals, or linear threshold), kUnsupported (kPaper
// with a sample: the printed scheme is for the uniform distribution), kInvalidArgument (noise variances; a record of
// another schema). Throws WorkStopped. Thread-safe.
//
// Cost: at most milliseconds for the structured kinds, tenths of a second for 2^22 combinations. Sampling takes 2^18
// evaluations: hundredths of a second for dozens of conditions, a second for thousands.
//
// Source: Aldà and Simon 2014, (16), (17), (19) and section 6. Section 7 of the paper samples the class means of every
// query.
Result<CompiledQuery> compile_literals(const Query& query, const Schema& schema, const Literals& literals,
                                       const CompileOptions& options, Work& work);

}  // namespace hearsay::compiler
