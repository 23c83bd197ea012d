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

// f of every record of the universe, 0 or 1, the last attribute changing fastest. `query` in its canonical form. Throws
// WorkStopped.
std::vector<std::uint8_t> truth_of(const Query& query, const Schema& schema, Work& work);

// Compiles under the uniform distribution over the universe, all of which is looked at, so that class means and
// variances are exact. `truth`: f of every record.
//   - If f is an affine function of the vectors, f(x) = c + ⟨u_x,g⟩, the answer is worst-case, with the g of least
//   norm.
//     That is tried where records or dimensions are at most kMaxSolved.
//   - Otherwise the answer is average-case, in a direction v by (16) and (19). Directions are δ = E[u|f=1] - E[u|f=0],
//     which has the least noise and the largest γ̃(f) = ½⟨v,δ⟩/(‖v‖·max ‖u_x‖), and, for a query that the task names or
//     the negation of one, the task's vector v_f. The one with the lesser variance of a report is taken, noise and
//     instances together.
//   - In the printed scheme v_f is taken wherever there is one.
// The task names a query if one of its texts stands for the same records, however it is written.
//
// Errors: kQueryNotVisible (γ̃(f) = 0). Throws WorkStopped. Cost: M·d, and for the solution M·d·min(M, d). Thread-safe.
// Source: Aldà and Simon 2014, (15) to (19). In place of unit vectors all have one common scale.
Result<LinearQuery> compile_explicit(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                     const Explicit& vectors, const ExplicitOptions& options, Work& work);
inline constexpr std::size_t kMaxSolved = 512;

// The vector that the task gives for the query or for its negation ((19) has one value for v and -v); none if the class
// has neither. Texts that are no queries count as others. Throws WorkStopped. Cost: reads all texts.
std::optional<std::vector<double>> class_vector(const std::vector<std::uint8_t>& truth, const Schema& schema,
                                                const Explicit& vectors, Work& work);

// Whether every query of an explicit arrangement can be read; of other tasks, yes. Errors: kInvalidTask, with the
// beginning of the text and what is wrong with it.
Result<void> check_class(const Task& task);

}  // namespace hearsay::compiler
