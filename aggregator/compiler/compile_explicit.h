// Compilation of a query to a linear query over the vectors that a task lists.
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
  double noise_variance = 0;    // of every coordinate
  bool printed_scheme = false;  // the calibration is the paper's
};

// Returns f of every record of the universe, 0 or 1, the last attribute changing fastest. `query` is in its canonical
// form. Throws WorkStopped.
std::vector<std::uint8_t> truth_of(const Query& query, const Schema& schema, Work& work);

// Compiles under the uniform distribution over the universe. All records are looked at, so class means and variances
// are exact. `truth` is f of every record.
// - If f is an affine function of the vectors, f(x) = c + ⟨u_x,g⟩, the answer is worst-case, with the g of least norm.
//   The compiler tries this if records or dimensions are at most kMaxSolved.
// - Otherwise the answer is average-case, by (16) and (19) in a direction v. One candidate is δ = E[u|f=1] - E[u|f=0],
//   which has the least noise and the largest γ̃(f) = ½⟨v,δ⟩/(‖v‖·max ‖u_x‖). If the task names the query or its
//   negation, the task's vector v_f is the other. The compiler takes the candidate with the smaller variance of a
//   report, noise and instances together.
// - In the printed scheme the compiler takes v_f wherever there is one.
// The task names a query if one of the task's texts holds for the same records, however the text is written.
//
// Errors: kQueryNotVisible (γ̃(f) = 0). Throws WorkStopped. Cost: M·d, and for the affine solution M·d·min(M, d).
// Thread-safe. Source: Aldà and Simon 2014, (15) to (19). The paper has unit vectors; here all vectors have one common
// scale.
Result<LinearQuery> compile_explicit(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                     const Explicit& vectors, const ExplicitOptions& options, Work& work);
inline constexpr std::size_t kMaxSolved = 512;

// Returns the vector that the task gives for the query or for its negation; (19) has one value for v and -v. Returns
// nothing if the task names neither. A text that is no query names nothing. Throws WorkStopped. Cost: reads all texts.
std::optional<std::vector<double>> class_vector(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                                const Explicit& vectors, Work& work);

// Checks that every query of an explicit arrangement can be read. Other tasks pass. Errors: kInvalidTask, with the
// beginning of the text and what is wrong with it.
Result<void> check_class(const Task& task);

}  // namespace hearsay::compiler
