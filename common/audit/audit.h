// Audits a channel exactly: computes what the channel reveals at most, from the numbers that its sampler uses.
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
  // The largest log-ratio, log(Pr[report | x] / Pr[report | x']), over pairs of records and over reports.
  Rational actual;
  // True if `actual` is the largest log-ratio itself. If the log-ratio is no fraction of 64-bit integers, `actual` is
  // an upper bound, less than 2^-31 above the log-ratio. If `holds`, this bound is at most `claimed`. False for
  // `sampled` and `strategy`, where `actual` is a rounded logarithm.
  bool exact;
  // True if the largest log-ratio is at most `claimed`. For `laplace`, this verdict is exact. For `sampled` and
  // `strategy`, a ratio of probabilities that compare_with_exp() cannot tell from e^ε counts as above e^ε.
  bool holds;
  // Two records of the task's asked_schema() with the largest log-ratio, and the report with this log-ratio: one value
  // for each coordinate for `laplace`, {group, answer} for `sampled`, {output} for `strategy`.
  Record worst_first;
  Record worst_second;
  std::vector<std::int64_t> worst_report;
  // The number of ordered pairs of distinct records that were compared.
  std::uint64_t pairs;
};

// Compares the output distributions of every ordered pair of records of the task's asked_schema(). (Records whose
// values lie in the same cells of the task's cuts have the same distribution.) `channel` need not be the task's own.
//
// For `laplace`, takes every value that a coordinate of the report can have, including the clamped ends. Coordinates
// are independent, so their log-ratios add up. Cost: |X|²·d + Σ bound·(e - 1), for |X| records and d coordinates. The
// sum is over the distinct scales, and e is the number of different entries that coordinates of the scale have (at
// least 2). For `sampled`, computes the probability of every answer for every group and record, in integers. Cost:
// 2·|X|·Σ K over the groups, where K is the group's number of answers. For `strategy`, reads every entry that the task
// lists. Cost: the number of entries.
//
// Errors: kDomainTooLarge (|X|²·d or the sum exceeds 2^30, or the cost of `sampled` exceeds 2^26), kInvalidArgument
// (the channel is for another arrangement than the task's, or a matrix has an entry of 0). For `sampled` also
// kInternal: the sampler gives a number that is no answer of the group. For `laplace` also kOverflow: the scales'
// numerators have no common multiple below 2^128, or the log-ratio is 2^31 or more and does not fit a Rational.
Result<AuditResult> audit(const Task& task, const Channel& channel);

}  // namespace hearsay
