// Exact audits: compute what a channel reveals at most, from the numbers that its sampler uses.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/rational.h"
#include "common/channel/channel.h"
#include "hearsay/record.h"
#include "hearsay/task.h"

namespace hearsay {

struct AuditResult {
  Rational claimed;  // ε
  // The max of the log-ratio, over pairs of records and over reports.
  Rational actual;
  // True if `actual` is that number itself. If no 64-bit fraction is that number, `actual` is an upper bound, less than
  // 2^-31 above it, and at most `claimed` if the claim holds. Always false for `sampled` and `strategy`, where the
  // number is a logarithm.
  bool exact;
  // True if the log-ratio is at most `claimed`. Decided exactly for `laplace`, and certified for the others: a
  // log-ratio that is too close to ε counts as above it. Too close means 2^-30 parts of a unit of γ·2^64 for `sampled`,
  // and 2^-116 parts of the ratio for `strategy`.
  bool holds;
  // Two records of the task's asked_schema() with the largest log-ratio, and the report at which they have it: one
  // value for each coordinate for `laplace`, {group, answer} for `sampled`, {output} for `strategy`.
  Record worst_first;
  Record worst_second;
  std::vector<std::int64_t> worst_report;
  // Ordered pairs of distinct records that were compared.
  std::uint64_t pairs;
};

// Compares the output distributions of every ordered pair of records of the task's asked_schema(). (Records with the
// same cells have the same distribution.) `channel` need not be the task's own: an audit can show what another law
// would reveal under the task's claim.
//
// `laplace`: every value that a coordinate of the report can have, including the clamped ends. Coordinates are
// independent, so their log-ratios add up. Cost: about |X|²·d + Σ bounds over the distinct scales.
// `sampled`: for every group and record, the answer to every draw, in integers. The group is drawn before the record is
// looked at. Cost: |X|·Σ 2·2^m over the groups of m bits.
// `strategy`: every entry that the task lists. Cost: the number of entries.
//
// Errors: kDomainTooLarge (|X|²·d or Σ bounds exceeds 2^30, or the cost of `sampled` 2^26), kInvalidArgument (the
// channel is not over the task's arrangement). For `laplace` also kOverflow: the scales' numerators have no common
// multiple below 2^128 (those of a task always have), or the log-ratio is 2^31 or more and no Rational.
Result<AuditResult> audit(const Task& task, const Channel& channel);

}  // namespace hearsay
