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

// Compiles the query to an affine function of the coordinates of the task's channel. If reports ask other questions
// than parities of one bit, the result is a sum of products of functions of one attribute (compile_products.h). Either
// has the least noise of its kind, unless the channel's calibration is the paper's.
//
// Queries with the same canonical form (canonical.h) have the same answer, in every bit and at every request. If only
// sampling can average over a class, the records follow from the task's id and that form (public_bits.h).
//
// `work` bounds the time and the memory, and ends the call within 50 ms of a request to stop. `reference` is the
// distribution that the classes of an average-case query are taken from; other queries do not use it.
//
// Errors: those of compile_literals.h, compile_characters.h, compile_explicit.h and compile_products.h;
// kQueryNotCovered (the query needs a set of attributes that the task never asks about; the message names the set);
// kLimitExceeded (beyond the budget; the message says what would reduce the work); kCancelled. Thread-safe.
Result<CompiledQuery> compile(const Task& task, const Query& query, Work& work, Reference reference = {});

// Returns the names as a list: "age, home and income".
std::string names(const Schema& schema, std::span<const std::uint32_t> attributes);

// Returns kQueryNotCovered: an answer needs coordinates on exactly these attributes, and no group of the task covers
// them.
Error never_asked(const Schema& schema, std::span<const std::uint32_t> attributes);

}  // namespace hearsay::compiler
