// Tests whether the reports contradict the assumption behind an average-case estimate.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "aggregator/compiler/compiled_query.h"
#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// A χ² test. If the assumption holds, a statistic as large as this one has probability p.
struct FitTest {
  double p;
  double statistic;
  // Degrees of freedom. 0 if nothing was tested, and then p = 1.
  std::size_t degrees;
};

struct GoodnessOfFit {
  // The test of all coordinates. Nothing is tested with a sample as reference and more than 1024 coordinates.
  FitTest all;
  // The test of the coordinates that the estimate rests on: those of the attributes that the query depends on.
  FitTest query;
};

// Tests the assumption of an (f,ω,n)-random database: within each of the query's classes, records are independent draws
// from the reference distribution. Then the means of the coordinates lie, up to noise, on the segment m0…m1 between the
// classes' means. The test asks whether m̂ is on the line through m0 and m1, with ω fitted by generalised least squares
// and the exact covariance of channel and instances.
//
// A small p means that the population is not such a database, and that the estimate is biased by an unknown amount. A
// large p proves nothing: departures along the segment are invisible. Under the assumption p is uniform, or larger than
// uniform if single reports matter (few reports or rare noise).
//
// Coordinates that nobody was asked about drop out. If the reference is a sample, the error of the sample counts as
// noise.
//
// `query` must be compiled for this task. The test continues the query's study, so equal queries have equal p. `work`
// bounds the time, as for compile(). It is looked at between factorisations of matrices; one takes up to 0.3 s for 1024
// coordinates.
//
// Errors: kUnsupported (the arrangement `characters`), kInvalidArgument (a query on at most one attribute, which
// assumes nothing; the tally of another task), kNoReports, kLimitExceeded (the query depends on more than 1024
// coordinates, or on too many to average over), kClassTooRare, kCancelled. Cost: milliseconds for queries on few
// attributes, up to some seconds. Thread-safe.
Result<GoodnessOfFit> goodness_of_fit(const Task& task, const compiler::CompiledQuery& query, const tally::Tally& tally,
                                      compiler::Work& work);

// If the second test's p is below this, the estimate gets a warning. Of a hundred sets of a hundred questions each, to
// populations that fit, one set gets a false warning. The χ² law, which holds for many reports, is right to a few
// percent at 10^-4. If a bias matters, p falls below 10^-4 within a small multiple of the reports after which the bias
// exceeds the interval.
inline constexpr double kContradicted = 1e-4;
std::optional<std::string> fit_warning(const GoodnessOfFit& fit);

}  // namespace hearsay::estimator
