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
  // Whether `actual` is that number itself. If 64-bit integers cannot hold it, `actual` is an upper bound, less than
  // 2^-31 above it, and at most `claimed` if the claim holds.
  bool exact;
  bool holds;  // the log-ratio is at most `claimed`; always decided exactly
  // Records that attain `actual`, and the report (one value per coordinate) at which they do.
  Record worst_first;
  Record worst_second;
  std::vector<std::int64_t> worst_report;
  std::uint64_t pairs;  // ordered pairs of distinct records examined
};

// Compares the output distributions of every ordered pair of records, coordinate by coordinate over every value that
// the report can hold, the clamped ends included; the coordinates are independent, so the log-ratios add up. `channel`
// need not be the task's own: an audit of what another law would reveal under the task's claim. Cost: about |X|²·d + Σ
// bounds over the distinct scales. Errors: kDomainTooLarge if either exceeds 2^30, kInvalidArgument if the channel is
// not over the task's arrangement, kOverflow if the scales' numerators have no common multiple below 2^128 (those of a
// task always have) or if the log-ratio is 2^31 or more and no Rational.
Result<AuditResult> audit(const Task& task, const Channel& channel);

}  // namespace hearsay
