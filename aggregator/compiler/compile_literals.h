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
  Digest sample_key{};    // of the records that are drawn where nothing else serves
};

// Compiles under the reference distribution. Where it is uniform, the class means and variances are exact (to rounding)
//   - for conjunctions, disjunctions, boxes and decision lists of conditions on single attributes,
//   - for integer thresholds (linear queries, at_least of such conditions) while the sum has few enough values,
//   - for any query that touches at most 2^22 combinations of values that it tells apart;
// otherwise they are averages over records that follow from the sample key (not a matter of privacy), and
// LinearQuery::class_mean_variance holds their error. Where it is a sample of records, half of each class's records
// choose the weights and the other half gives the class means and variances, whose error is held likewise. A query that
// depends on one attribute only, however it is written, is worst-case and exact whatever the reference; no other query
// can be.
//
// Errors: kQueryNotVisible (γ̃(f) = 0: both classes have the same mean embedding, or a sample shows no difference),
// kClassTooRare (fewer than 32 sampled members of a class, of a sample of records fewer than 64), kQueryNotCovered
// (kPaper: not a monomial, clause, box, decision list of single literals, or linear threshold), kUnsupported (kPaper
// with a sample: the printed scheme is for the uniform distribution), kInvalidArgument (noise variances; a record of
// another schema). Throws WorkStopped. Cost: microseconds to milliseconds for the structured kinds, tenths of a second
// for 2^22 combinations, and for a sample 2^18 evaluations: hundredths of a second for dozens of conditions, a second
// for thousands. Thread-safe. Source: Aldà and Simon 2014, (16), (17), (19) and section 6. Their section 7 samples the
// class means of every query.
Result<CompiledQuery> compile_literals(const Query& query, const Schema& schema, const Literals& literals,
                                       const CompileOptions& options, Work& work);

}  // namespace hearsay::compiler
