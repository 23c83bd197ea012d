// Whether the reports contradict the assumption that an average-case estimate rests on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "aggregator/compiler/compiled_query.h"
#include "aggregator/tally/tally.h"
#include "common/channel/channel.h"
#include "hearsay/task.h"

namespace hearsay::estimator {

// A χ² test: the statistic exceeds what it is with probability p if the assumption holds.
struct FitTest {
  double p;
  double statistic;
  std::size_t degrees;  // of freedom; 0 where nothing was tested, and then p = 1
};

struct GoodnessOfFit {
  // All coordinates. Not tested (0 degrees) with a sample as reference and more than 1024 coordinates.
  FitTest all;
  // The coordinates of the attributes that the query depends on: what the estimate itself rests on.
  FitTest query;
};

// In an (f,ω,n)-random database, records are independent draws from the reference distribution within each of the
// query's classes. Then the means of the coordinates lie on the segment m0…m1 between the classes' means, up to noise.
// Tests whether m̂ is on the line through them, ω fitted by generalised least squares, with the exact covariance of the
// channel and the instances. p is uniform under the assumption, and larger than uniform where single reports matter
// (few reports or rare noise); small p mean that the population is not such a database, and that the estimate is biased
// by an unknown amount. A large p proves nothing: departures along the segment are invisible.
//
// Coordinates that nobody was asked about drop out. Where the query was compiled with a sample as reference, the error
// of the sample counts as noise.
//
// `query`: compiled for this task. The test goes on from the query's study: equal queries have equal p.
// `work`: bounds the time, as for compile(), and is looked at between the factorisations of matrices, each of which
// takes up to 0.3 s for 1024 coordinates.
//
// Errors: kUnsupported (the arrangement `characters`), kInvalidArgument (a query that depends on one attribute
// or none and assumes nothing; the tally of another task), kNoReports, kLimitExceeded (the query depends on more than
// 1024 coordinates, or too many to average over), kClassTooRare, kCancelled. Cost: milliseconds for queries on few
// attributes, up to some seconds. Thread-safe.
Result<GoodnessOfFit> goodness_of_fit(const Task& task, const compiler::CompiledQuery& query, const tally::Tally& tally,
                                      compiler::Work& work);

// A warning for the estimate where the second test's p is below kContradicted, else nothing. At 10^-4 a hundred
// questions to a population that fits raise one false warning in a hundred such sets, and the χ² law, which holds for
// many reports, is still right to a few percent; where a bias matters, p falls below it within a small multiple of the
// reports after which the bias exceeds the interval.
inline constexpr double kContradicted = 1e-4;
std::optional<std::string> fit_warning(const GoodnessOfFit& fit);

}  // namespace hearsay::estimator
