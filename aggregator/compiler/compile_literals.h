// Compiles a query to a linear query over the literals.
#pragma once

#include <span>

#include "aggregator/compiler/compiled_query.h"
#include "common/arrangement/literals.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

enum class Direction : std::uint8_t {
  // g_j = (δ_j/v_j) / Σ_l δ_l²/v_l, with δ = E[a|f=1] - E[a|f=0]. Here a are a record's coordinates, f is the query,
  // and v are the noise variances. These weights have the least noise. If all v are equal, the weights also have the
  // largest margin γ̃(f).
  kMaximumMargin,
  // The weights and threshold of section 6 of Aldà and Simon 2014, in the homogeneous embedding (24). This embedding
  // has one more coordinate, number d, the same for all records.
  kPaper,
};

// The properties of the channel and the reference that the compiler uses.
struct CompileOptions {
  std::span<const double> noise_variance;  // one for each coordinate: d numbers, or d+1 for kPaper
  Direction direction = Direction::kMaximumMargin;
  Reference reference{};  // used only by kMaximumMargin
  // The key that determines the sampled records, if no exact method applies.
  Digest sample_key{};
};

// Compiles the query, with class means under the reference distribution. If the query depends on one attribute only,
// the result is worst-case and the reference does not matter. All other queries on literals are average-case.
//
// With the uniform reference, class means and variances are exact (to rounding)
//   - for conjunctions, disjunctions, boxes and decision lists of conditions on single attributes,
//   - for integer thresholds (linear queries, at_least of such conditions) while the sum has few enough values,
//   - for any query that touches at most 2^22 combinations of values that the query tells apart, and whose
//     evaluation on them takes at most 2^29 steps.
// For all other queries, class means and variances are averages over records that the sample key determines.
// LinearQuery::class_mean_variance is the variance of these means. Privacy does not depend on the key.
//
// If the reference is a sample of records, half of each class's records choose the weights. The other half gives the
// class means and variances. LinearQuery::class_mean_variance is the variance of these means.
//
// Errors: kQueryNotVisible (the margin γ̃(f) is 0: both classes have the same mean of a(x), or a sample shows no
// difference), kClassTooRare (a class has fewer than 32 sampled members, or fewer than 64 in a sample of records),
// kQueryNotCovered (kPaper: not a monomial, clause, box, decision list of single literals, or linear threshold),
// kUnsupported (kPaper with a sample: the paper's scheme is for the uniform distribution), kInvalidArgument (noise
// variances; a record of another schema). Throws WorkStopped. Thread-safe.
//
// Cost: lists and thresholds are the fastest. Enumeration evaluates the query on every combination of values, and
// sampling evaluates the query on 2^18 records.
//
// Source: Aldà and Simon 2014, (16), (17), (19) and section 6. Section 7 of the paper samples the class means of every
// query. This compiler samples class means only if none of the exact methods above applies.
Result<CompiledQuery> compile_literals(const Query& query, const Schema& schema, const Literals& literals,
                                       const CompileOptions& options, Work& work);

}  // namespace hearsay::compiler
