// Answers compiled queries from a tally, with standard errors and intervals.
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

// An answer to one counting query: an estimate of ω, the fraction of the reporters whose record satisfies the query.
struct Estimate {
  double value;           // unbiased under `guarantee`, never clipped to [0, 1]
  double standard_error;  // the standard error of the value
  double confidence;      // the confidence of both intervals, e.g. 0.95
  Interval normal;        // value ± normal quantile · standard_error
  Interval guaranteed;    // contains ω with probability at least `confidence`, for every n; see README.md
  compiler::Guarantee guarantee;
  double margin;  // γ̃(f), see compiler::LinearQuery::margin
  // The most by which one lying report can shift the value. `laplace`: the maximum over all reports that pass the
  // channel's check. `sampled`: the maximum over all answers of the groups that this value uses, for fixed numbers of
  // reports about each set of attributes, or an upper bound on this maximum (README.md). A liar may also change one of
  // these numbers of reports by 1, which shifts the value further.
  double influence;
  std::uint64_t reports;  // n
  std::vector<std::string> warnings;
};

// Estimates of all cells of the contingency table of some attributes.
struct ContingencyTable {
  std::vector<std::uint32_t> attributes;
  std::vector<std::uint32_t> sizes;     // number of values, one per attribute
  std::vector<double> values;           // one for each cell; the last attribute's value changes fastest
  std::vector<double> standard_errors;  // the standard errors of the values
  double confidence;
  double quantile;  // value ± quantile·standard_error is a cell's normal interval
  std::uint64_t reports;
};

// Unbiased estimates of the means of consecutive coordinates among the reporters.
struct CoordinateMeans {
  std::uint32_t first;  // the first coordinate
  std::vector<double> means;
  // Variances of the means, from the channel's noise and from the draw of who is asked which question.
  std::vector<double> variances;
};

// Checks that the task answers tables of these attributes. Errors: kUnsupported (the arrangement is not `characters`),
// kQueryNotCovered (more attributes than the arrangement's order), kInvalidArgument (attributes do not ascend, or the
// schema does not have them).
Result<void> check_table(const Task& task, std::span<const std::uint32_t> attributes);

// Answers queries from one tally of a task. Immutable. Thread-safety: any number of threads may share an estimator.
class Estimator {
 public:
  // Copies the numbers of the tally, in time proportional to the tally. On `strategy`, also makes a decoder
  // (strategy_decoder.h says at what cost). After a request to stop, every call of the estimator that takes long soon
  // returns kCancelled. On `strategy`, a call first finishes the computation with matrices that is under way. A call
  // that would take more than `max_bytes` of memory returns kLimitExceeded. Errors: kNoReports, kBatchTooSmall (fewer
  // reports than the task's min_batch_size), kInvalidArgument (a tally of another task).
  static Result<Estimator> create(const Task& task, const tally::Tally& tally, std::stop_token stop = {},
                                  std::uint64_t max_bytes = compiler::Work::kBudget.bytes);

  // Answers `query`, which must be compiled for this task. `confidence` is in (0, 1). No number in the answer is NaN or
  // infinite. A constant query is exact.
  //
  // Errors: kNoReports (no report has asked about some attributes, or some coordinate, that the query needs, so there
  // is no unbiased value), kInvalidArgument (confidence; a query of another task; a class mean of one sampled member),
  // kLimitExceeded (a query over more than 24 attributes or 56 bits, which compile() does not write; a query whose sets
  // of coordinates take too much memory), kCancelled.
  //
  // Cost: proportional to the number of the query's weights. If groups have several coordinates, or if the query has
  // terms, the cost also grows with the reports that were asked about one of the query's attributes. If reports are
  // few, checking the normal interval takes up to some milliseconds more.
  Result<Estimate> estimate(const compiler::LinearQuery& query, double confidence) const;

  // Estimates the fraction of the reporters in each cell, on `characters`. `attributes` must ascend, and must have from
  // 1 to order() elements. A cell equals estimate() of the conjunction that describes the cell, except on the channel
  // `strategy`. Errors: those of estimate() and check_table(). Cost: that of one estimate, plus about the number of
  // cells times the attributes' bits. If reports ask questions other than parities of one bit, the cost is up to the
  // number of cells times the number of reports. If the cost is too high, the error is kLimitExceeded.
  Result<ContingencyTable> table(std::span<const std::uint32_t> attributes, double confidence) const;

  // Estimates the means of the coordinates on exactly these attributes (ascending). On `literals`, pass one attribute.
  // If reports ask questions other than parities of one bit, the means cost as much as a table. Errors: those of
  // estimate(), kInvalidArgument (attributes), kQueryNotCovered (the task never asks about these attributes together),
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
