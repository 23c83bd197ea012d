// Exact audits: what a channel reveals at most, computed from the numbers that its sampler uses.
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
  Rational actual;   // max over pairs of records and over reports of the log-ratio
  // Whether `actual` is that number itself. If no 64-bit fraction is that number, `actual` is an upper bound, less than
  // 2^-31 above it, and at most `claimed` if the claim holds. Always false for `sampled` and `strategy`, where it is a
  // logarithm.
  bool exact;
  // The log-ratio is at most `claimed`: decided exactly for `laplace`; for `sampled` certified, a log-ratio within
  // 2^-30 parts of a unit of γ·2^64 of ε counting as above it; the same for `strategy`, within 2^-116 parts of the
  // ratio.
  bool holds;
  // Records that attain the largest log-ratio, and the report at which they do: one value per coordinate for `laplace`;
  // {group, answer} for `sampled`; {output} for `strategy`. Of the task's asked_schema().
  Record worst_first;
  Record worst_second;
  std::vector<std::int64_t> worst_report;
  std::uint64_t pairs;  // ordered pairs of distinct records compared
};

// Compares the output distributions of every ordered pair of records of the task's asked_schema(): records with the
// same cells have the same distribution. `channel` need not be the task's own: an audit of what another law would
// reveal under the task's claim.
//
// `laplace`: coordinate by coordinate over every value that the report can hold, the clamped ends included; the
// coordinates are independent, so the log-ratios add up. Cost: about |X|²·d + Σ bounds over the distinct scales.
// `sampled`: for every group and record, the answer to every draw, in integers; the group is drawn before the record is
// looked at. Cost: |X|·Σ 2·2^m over the groups of m bits.
// `strategy`: every entry of the matrix. Cost: |X| times the outputs.
//
// Errors: kDomainTooLarge if |X|²·d or Σ bounds exceeds 2^30, or the cost of `sampled` 2^26; kInvalidArgument if the
// channel is not over the task's arrangement; `laplace` also kOverflow if the scales' numerators have no common
// multiple below 2^128 (those of a task always have) or if the log-ratio is 2^31 or more and no Rational.
Result<AuditResult> audit(const Task& task, const Channel& channel);

}  // namespace hearsay
