// Compiles queries for a task: the one entry of this folder.
//
//   compiler::Work work(stop_token);
//   HEARSAY_TRY(const CompiledQuery compiled, compiler::compile(task, query, work));
//   HEARSAY_TRY(const Estimate estimate, estimator.estimate(compiled.linear, 0.95));
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "aggregator/compiler/compiled_query.h"
#include "aggregator/compiler/work.h"
#include "hearsay/query.h"
#include "hearsay/task.h"

namespace hearsay::compiler {

// Writes the query as an affine function of the coordinates of the task's channel. Of all such functions this is the
// one of least noise, unless the channel's calibration is the paper's. Where reports ask other questions than parities of
// one bit, the query becomes a sum of products of functions of one attribute instead (compile_products.h).
// Queries with the same canonical form (canonical.h) have the same answer, in every bit and at every request: a class
// that only sampling can average over has a public sample, which follows from the task's id and that form
// (public_bits.h).
// `work`: bounds the time and the memory, and ends the call within 50 ms of a request to stop.
// `reference`: where the classes of an average-case query are taken from. No other query has a use for it.
//
// Errors: see compile_literals.h, compile_characters.h and compile_products.h; kQueryNotCovered also where the query needs a set of
// attributes that the task never asks about (the message names the set); kLimitExceeded (beyond the budget; the message
// says what would reduce the work), kCancelled. Thread-safe.
Result<CompiledQuery> compile(const Task& task, const Query& query, Work& work, Reference reference = {});

// "age, home and income".
std::string names(const Schema& schema, std::span<const std::uint32_t> attributes);

// kQueryNotCovered: an answer needs coordinates on exactly these attributes, and no group of the task covers them.
Error never_asked(const Schema& schema, std::span<const std::uint32_t> attributes);

}  // namespace hearsay::compiler
