// Turns a tally and compiled queries into answers with their errors.
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
  double margin;  // γ̃(f), see compiler::LinearQuery::margin
  // The most by which one lying report can shift the value. `laplace`: over all reports that pass the channel's check.
  // `sampled`: over all answers of the groups that this value uses, if the numbers of reports asked about each set of
  // attributes stay as they are. A liar who also changes such a number by one shifts the value by more: by up to a
  // quarter of `influence` in all that was tried.
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

// Debiased means of consecutive coordinates: estimates of the reporters' mean of a_j.
struct CoordinateMeans {
  std::uint32_t first;  // the first coordinate
  std::vector<double> means;
  // Variances of the means, over the channel's noise and over who was asked what.
  std::vector<double> variances;
};

// Checks that the task answers tables of these attributes. Errors: kUnsupported (not `characters`), kQueryNotCovered
// (more attributes than the arrangement's order), kInvalidArgument (attributes do not ascend, or are not the schema's).
Result<void> check_table(const Task& task, std::span<const std::uint32_t> attributes);

// Answers questions from one tally of one task. Immutable. Thread-safety: any number of threads may share one.
class Estimator {
 public:
  // Copies what it needs of the tally, in time proportional to the tally. After a request to stop, every later call
  // returns kCancelled soon. A call whose tables would take more than `max_bytes` returns kLimitExceeded. Errors:
  // kNoReports, kBatchTooSmall (fewer than the task's min_batch_size), kInvalidArgument (a tally of another task).
  static Result<Estimator> create(const Task& task, const tally::Tally& tally, std::stop_token stop = {},
                                  std::uint64_t max_bytes = compiler::Work::kBudget.bytes);

  // Answers `query`, which must be compiled for this task. `confidence` is in (0, 1). No number in the answer is NaN or
  // infinite. A constant query is exact.
  //
  // Errors: kNoReports, kInvalidArgument (confidence; a query of another task; a class mean of one sampled member),
  // kLimitExceeded (a query over more than 24 attributes or 56 bits, which no compiler here writes; a query whose sets
  // of coordinates take too much memory), kCancelled. kNoReports means that no report has asked about some attributes
  // that the query needs. On `literals`, or if a set of attributes has one coordinate only, it means that no report has
  // asked about some coordinate. There is no unbiased value then. A missing largest set is found before anything
  // costly.
  //
  // Cost: some microseconds for each weight of the query. For groups of several coordinates, and for terms, some
  // nanoseconds for every report that was asked about one of the query's attributes. If reports are few, up to some
  // milliseconds for how often the normal interval covers.
  Result<Estimate> estimate(const compiler::LinearQuery& query, double confidence) const;

  // Estimates the fraction of the reporters in each cell, on `characters`. `attributes` ascend; there are 1 to the
  // arrangement's order of them. A cell equals estimate() of the conjunction that describes the cell. Errors: those of
  // estimate() and check_table(). Cost: that of one estimate, and about the table's cells times the attributes' bits.
  // If reports ask other questions than parities of one bit, up to the table's cells times the reports; kLimitExceeded
  // bounds this.
  Result<ContingencyTable> table(std::span<const std::uint32_t> attributes, double confidence) const;

  // Estimates the means of the coordinates on exactly these attributes (ascending); on `literals`, of one attribute.
  // estimate() uses these means. But if reports ask other questions than parities of one bit, the means are estimated
  // from the answers, and cost what a table costs. Errors: those of estimate(), kInvalidArgument (attributes),
  // kUnsupported (explicit vectors, whose coordinates belong to no attributes).
  Result<CoordinateMeans> means(std::span<const std::uint32_t> attributes) const;

  std::uint64_t reports() const;  // n

 private:
  struct State;
  explicit Estimator(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// Calls Estimator::create() and estimate().
Result<Estimate> estimate(const Task& task, const compiler::LinearQuery& query, const tally::Tally& tally,
                          double confidence);

}  // namespace hearsay::estimator
