// Compilation of a query to a linear query over the literals.
#pragma once

#include <span>

#include "common/arrangement/linear_query.h"
#include "common/arrangement/literals.h"
#include "common/random/bit_source.h"
#include "hearsay/query.h"

namespace hearsay {

enum class Direction : std::uint8_t {
  // g_j = (δ_j/v_j) / Σ δ_l²/v_l with δ = E[a|f=1] - E[a|f=0]: the least noise, for equal v the largest γ̃(f).
  kMaximumMargin,
  // The weights and threshold of section 6 of the paper in the homogeneous embedding (24); the last coordinate, number
  // d,
  // is the homogeneous one.
  kPaper,
};

// What the compiler must know of the channel.
struct CompileOptions {
  std::span<const double> noise_variance;  // per coordinate: d of them, or d+1 for kPaper
  Direction direction = Direction::kMaximumMargin;
};

// Compiles under the uniform reference distribution. Class means are exact for conjunctions, disjunctions, boxes and
// decision lists of single literals, for integer thresholds, and for any query that touches at most 2^22 combinations
// of values; otherwise they are averages over records drawn with `bits` (not a matter of privacy), and
// LinearQuery::class_mean_variance holds their error. Queries on one attribute are exact and worst-case for
// kMaximumMargin.
// Errors: kQueryNotVisible (γ̃(f) = 0), kClassTooRare (no sampled member of a class), kQueryNotCovered (kPaper: not a
// monomial, clause, box, decision list of single literals or threshold of booleans). May throw EntropyError.
Result<LinearQuery> compile(const Query& query, const Schema& schema, const Literals& literals,
                            const CompileOptions& options, BitSource& bits);

}  // namespace hearsay
