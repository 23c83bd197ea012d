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

// The result of a χ² test. If the assumption holds, the statistic is at least this large with probability p.
struct FitTest {
  double p;
  double statistic;
  // The degrees of freedom. If nothing was tested, `degrees` is 0 and p is 1.
  std::size_t degrees;
};

struct GoodnessOfFit {
  // The result of testing all coordinates. If the reference is a sample, and its moments do not cover all coordinates
  // (class_moments.h), nothing is tested.
  FitTest all;
  // The result of testing the coordinates of the attributes that the query depends on.
  FitTest query;
};

// Tests the assumption that the reporters are an (f,ω,n)-random database: the records with f = 1, and those with f = 0,
// are independent draws from the reference distribution within their class. Let m1 and m0 be the coordinates' means
// within the two classes. Then the estimated means m̂ lie, up to noise, on the segment from m0 to m1. The test checks
// whether m̂ lies on the line through m0 and m1. For this, the test fits ω by generalised least squares, with the
// covariance of noise and draws.
//
// A small p is evidence that the population is no such database. The estimate may then be biased by any amount. A large
// p proves nothing: the test cannot see departures along the segment. Under the assumption, p is nearly uniform. If
// single reports matter (few reports, or hardly any noise), p tends to be larger.
//
// The test leaves out coordinates that nobody was asked about. If the reference is a sample, the error of the sample
// counts as noise.
//
// `query` must be compiled for this task. The test uses what compile() kept in `query` (the study or the truth of
// CompiledQuery), so equal queries have equal p. `work` bounds the time, as for compile(). The test checks for a
// request to stop between factorisations of matrices.
//
// Errors: kUnsupported (the arrangement `characters`), kInvalidArgument (a query on at most one attribute, since its
// answer assumes nothing; the tally of another task), kNoReports, kLimitExceeded (the query depends on more than 1024
// coordinates, or its moments exceed the budget of `work`), kClassTooRare, kCancelled. Cost: milliseconds for queries
// on few attributes, up to some seconds. Thread-safe.
Result<GoodnessOfFit> goodness_of_fit(const Task& task, const compiler::CompiledQuery& query, const tally::Tally& tally,
                                      compiler::Work& work);

// If the p of GoodnessOfFit::query is below kContradicted, the estimate gets a warning. If a population satisfies the
// assumption, a hundred queries give any false warning with a probability of about 1 %.
inline constexpr double kContradicted = 1e-4;
std::optional<std::string> fit_warning(const GoodnessOfFit& fit);

}  // namespace hearsay::estimator
