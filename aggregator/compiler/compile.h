// Compiles queries for a task: the entry point of this folder.
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

// Compiles the query to an affine function of the coordinates of the task's channel. If the task asks questions other
// than parities of one bit, the result is a sum of products of functions of one attribute (compile_products.h). The
// compiler chooses the weights for little noise, unless the channel's calibration is `paper`.
//
// Queries with the same canonical form (canonical.h) give the same result, bit for bit, at every call. If a class can
// only be sampled, the task's id and the canonical form determine the sampled records (public_bits.h).
//
// `work` bounds the time and the memory. After a request to stop, the call ends within milliseconds (work.h). But the
// call first finishes a computation with matrices that is under way (explicit vectors, `strategy`). `reference` is the
// distribution of records that an average-case answer assumes; worst-case answers do not use `reference`.
//
// Errors: those of compile_literals.h, compile_characters.h, compile_explicit.h, compile_products.h, coarse_query.h and
// StrategyDecoder::scores(); kQueryNotCovered (the query needs a set of attributes that the task never asks about; the
// message names the set);
// kUnsupported (explicit vectors with a sample as the reference); kLimitExceeded (the work exceeds the budget; the
// message says what would reduce the work); kCancelled. Thread-safe.
Result<CompiledQuery> compile(const Task& task, const Query& query, Work& work, Reference reference = {});

// Returns the attributes' names as a list: "age, home and income".
std::string names(const Schema& schema, std::span<const std::uint32_t> attributes);

// Returns kQueryNotCovered. The message says that the task never asks about `attributes` together.
Error never_asked(const Schema& schema, std::span<const std::uint32_t> attributes);

}  // namespace hearsay::compiler
