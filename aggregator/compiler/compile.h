// Compiles queries for a task: the one entry of this folder.
//
//   HEARSAY_TRY(const CompiledQuery compiled, compiler::compile(task, query, system_bit_source()));
//   HEARSAY_TRY(const Estimate estimate, estimator.estimate(compiled.linear, 0.95));
#pragma once

#include "aggregator/compiler/compiled_query.h"
#include "common/random/bit_source.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::compiler {

// Writes the query as an affine function of the coordinates of the task's channel. Of all such functions this is the
// one of least noise, unless the channel's calibration is the paper's.
// `bits`: for classes of records that only sampling can average over; not a matter of privacy.
// `reference`: where the classes of an average-case query are taken from. No other query has a use for it.
//
// Errors: see compile_literals.h and compile_characters.h. May throw EntropyError. Thread-safe, with a source of bits
// each.
Result<CompiledQuery> compile(const Task& task, const Query& query, BitSource& bits, Reference reference = {});

}  // namespace hearsay::compiler
