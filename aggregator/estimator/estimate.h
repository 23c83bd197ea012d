// From a tally and compiled queries to answers with their errors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "aggregator/compiler/linear_query.h"
#include "aggregator/compiler/work.h"
#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

struct Interval {
  double low;
  double high;
};

// An answer to one counting query. The target is ω, the fraction of the reporters whose record satisfies the query.
struct Estimate {
  double value;           // unbiased under `guarantee`, never clipped to [0, 1]
  double standard_error;  // of value
  double confidence;      // of both intervals, e.g. 0.95
  Interval normal;        // value ± normal quantile · standard_error
  Interval guaranteed;    // covers with at least `confidence` at every n; see README.md
  compiler::Guarantee guarantee;
  double margin;  // γ̃(f)
  // The most by which one lying report can shift the value. `laplace`: over all reports that pass the channel's check.
  // `sampled`: over all answers of the groups that this value uses, if as many reports are asked about each set of
  // attributes as were. A liar who changes this number by one, too, shifts the value by a part of the same order more:
  // by up to a quarter of this in all that was tried.
  double influence;
  std::uint64_t reports;  // n
  std::vector<std::string> warnings;
};

// Every cell of the contingency table of some attributes.
struct ContingencyTable {
  std::vector<std::uint32_t> attributes;
  std::vector<std::uint32_t> sizes;     // number of values, one per attribute
  std::vector<double> values;           // Π sizes; the last attribute's value index runs fastest
  std::vector<double> standard_errors;  // of the values
  double confidence;
  double quantile;  // value ± quantile·standard_error is a cell's normal interval
  std::uint64_t reports;
};

// Debiased means of some consecutive coordinates: estimates of the reporters' mean of a_j.
struct CoordinateMeans {
  std::uint32_t first;  // the first coordinate
  std::vector<double> means;
  std::vector<double> variances;  // of the means, over the channel and who was asked what
};

// Whether the task answers tables of these attributes. Errors: kUnsupported but on `characters`; kQueryNotCovered for
// more attributes than the arrangement's order; kInvalidArgument if they do not ascend or are not some of the schema's.
Result<void> check_table(const Task& task, std::span<const std::uint32_t> attributes);

// Answers questions from one tally of one task, indexed once. Immutable and safe to share between threads.
class Estimator {
 public:
  // Copies what it needs of the tally: O(its size). A request to stop ends every later call soon, and then each has the
  // error kCancelled. A call whose tables would take more than `max_bytes` has the error kLimitExceeded.
  // Errors: kNoReports, kBatchTooSmall (fewer than the task's min_batch_size), kInvalidArgument (a tally of another
  // task).
  static Result<Estimator> create(const Task& task, const tally::Tally& tally, std::stop_token stop = {},
                                  std::uint64_t max_bytes = compiler::Work::kBudget.bytes);

  // Answers `query`, compiled for this task. `confidence` in (0, 1). No number in the answer is NaN or infinite. A
  // constant query is exact. Cost: some microseconds a weight of the query, for groups of several coordinates (and for
  // each term of the query, where reports ask other questions than parities of one bit) some nanoseconds for every
  // report that was asked about one of the query's attributes, and where reports are few up to some milliseconds for
  // how often the normal interval covers. Errors: kNoReports if no report has asked about some attributes, or, on
  // `literals` and where a set of attributes has one coordinate only, about some coordinate, that the query needs:
  // there is no unbiased value then, and none is made up; kInvalidArgument (confidence; a query of another task; a
  // class mean of one sampled member); kLimitExceeded (a query that no compiler here writes: over more than 24
  // attributes or 56 bits; a query whose sets of coordinates take more memory than there may be); kCancelled. That no
  // report has asked about the largest sets of attributes is found out before anything costly.
  Result<Estimate> estimate(const compiler::LinearQuery& query, double confidence) const;

  // The fraction of the reporters in each cell, on `characters`. `attributes` ascending, 1 to the arrangement's order
  // of them. A cell equals estimate() of the conjunction that describes it. Cost: about the table's cells times the
  // attributes' bits, and as for one estimate. Where reports ask other questions than parities of one bit, up to the
  // table's cells times the reports, which kLimitExceeded bounds. Errors: as estimate() and check_table().
  Result<ContingencyTable> table(std::span<const std::uint32_t> attributes, double confidence) const;

  // The coordinates on exactly these attributes (ascending); on `literals` those of one attribute. They are what
  // estimate() uses. Where reports ask other questions than parities of one bit, they are estimates of the coordinates'
  // means, and cost what a table costs. Errors: as estimate(), kInvalidArgument (attributes), kUnsupported (explicit
  // vectors, whose coordinates belong to no attributes).
  Result<CoordinateMeans> means(std::span<const std::uint32_t> attributes) const;

  std::uint64_t reports() const;  // n

 private:
  struct State;
  explicit Estimator(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// Estimator::create() and estimate() at once.
Result<Estimate> estimate(const Task& task, const compiler::LinearQuery& query, const tally::Tally& tally,
                          double confidence);

}  // namespace hearsay::estimator
