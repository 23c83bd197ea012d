// Compiles a query to a linear query over the vectors that a task lists.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "common/arrangement/explicit.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"
#include "hearsay/task.h"

namespace hearsay::compiler {

struct ExplicitOptions {
  double noise_variance = 0;    // the variance in one report, the same in every coordinate
  bool printed_scheme = false;  // the channel's calibration is `paper`
};

// Returns f of every record of the universe, 0 or 1. The last attribute changes fastest. `query` must be canonical.
// Throws WorkStopped.
std::vector<std::uint8_t> truth_of(const Query& query, const Schema& schema, Work& work);

// Compiles the query that has the answers `truth`. Class means and variances are exact, under the uniform distribution
// over the universe. `truth` is f of each of the M records; u_x is the task's vector of record x, with d entries.
// - If f is an affine function of the vectors, f(x) = c + ⟨u_x,g⟩, the answer is worst-case, with the g of least norm.
//   The compiler looks for g only if M or d is at most kMaxSolved.
// - Otherwise the answer is average-case, by (16) and (19) of the paper in a direction v. One candidate for v is δ =
//   E[u|f=1] - E[u|f=0], which has the least noise and the largest γ̃(f) = ½⟨v,δ⟩/(‖v‖·max ‖u_x‖). The other candidate
//   is the vector v_f that the task may give for the query or its negation. The compiler takes the candidate for which
//   one report's contribution has the smaller variance.
// - With the calibration `paper`, if the task gives v_f, the compiler takes v_f and looks for no affine function.
// A query matches a text of the task if both are true for the same records, however the query is written.
//
// Errors: kQueryNotVisible (γ̃(f) = 0). Throws WorkStopped. Cost: M·d, and M·d·min(M, d) to look for an affine
// function. Thread-safe. Source: Aldà and Simon 2014, (15) to (19). The paper has unit vectors; here vectors have
// integer entries and a common scale.
Result<LinearQuery> compile_explicit(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                     const Explicit& vectors, const ExplicitOptions& options, Work& work);
inline constexpr std::size_t kMaxSolved = 512;

// Returns the vector that the task gives for the query or for its negation, if any. Both give the same
// estimate, since (19) has the same value for v and -v. Skips texts that are no queries. Throws WorkStopped. Cost:
// evaluates the queries of the task's texts on up to all records.
std::optional<std::vector<double>> class_vector(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                                const Explicit& vectors, Work& work);

// Checks that every text in a task with explicit vectors is a query. Tasks without explicit vectors pass. Errors:
// kInvalidTask (the message has the beginning of the text and says what is wrong).
Result<void> check_class(const Task& task);

}  // namespace hearsay::compiler
