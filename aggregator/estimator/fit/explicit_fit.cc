// Symbols: u = a record's vector; m_b, C_b = mean and covariance of u in the class f = b, under the uniform
// distribution; n = number of reports; v = variance of the noise; I = unit matrix. m̂ = the mean of the reports; ω =
// the fraction of reporters with f = 1. Cov m̂ = (ω·C_1 + (1-ω)·C_0 + v·I)/n. The code adds 1/n² to each variance,
// because sums change in steps of 1, and these steps matter if there is hardly any noise.

#include "aggregator/estimator/fit/explicit_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>

#include "aggregator/compiler/class_moments.h"
#include "aggregator/estimator/fit/segment_fit.h"
#include "aggregator/tails/distributions.h"
#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"

namespace hearsay::estimator {
namespace {

constexpr int kVectorRounds = 3;  // the number of rounds of the fit, see kRounds in goodness_of_fit.cc

struct VectorMoments {
  std::array<std::size_t, 2> count{0, 0};
  std::array<Eigen::VectorXd, 2> mean;
  std::array<Eigen::MatrixXd, 2> covariance;
};

VectorMoments moments_of(const Explicit& vectors, const std::vector<std::uint8_t>& truth, compiler::Work& work) {
  const auto d = static_cast<Eigen::Index>(vectors.dimension());
  VectorMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    moments.mean[b] = Eigen::VectorXd::Zero(d);
    moments.covariance[b] = Eigen::MatrixXd::Zero(d, d);
  }
  Eigen::VectorXd u(d);
  for (std::size_t x = 0; x < truth.size(); ++x) {
    work.spend(static_cast<std::uint64_t>(d) * static_cast<std::uint64_t>(d) / 4);
    for (Eigen::Index j = 0; j < d; ++j) u[j] = vectors.vector_of(x)[static_cast<std::size_t>(j)];
    moments.mean[truth[x]] += u;
    moments.covariance[truth[x]].selfadjointView<Eigen::Lower>().rankUpdate(u);
    ++moments.count[truth[x]];
  }
  // Sums of integers are exact before the division.
  for (std::size_t b = 0; b < 2; ++b) {
    if (moments.count[b] == 0) continue;
    moments.mean[b] /= static_cast<double>(moments.count[b]);
    moments.covariance[b] =
        Eigen::MatrixXd(moments.covariance[b].selfadjointView<Eigen::Lower>()) / static_cast<double>(moments.count[b]) -
        moments.mean[b] * moments.mean[b].transpose();
  }
  return moments;
}

}  // namespace

Result<GoodnessOfFit> explicit_fit(const Task& task, const std::vector<std::uint8_t>& truth, const tally::Tally& tally,
                                   compiler::Work& work) {
  const auto& vectors = std::get<Explicit>(task.arrangement().kind());
  const auto& channel = std::get<LaplaceChannel>(task.channel().kind());
  const auto* sums = std::get_if<tally::LaplaceTally>(&tally.kind());
  const std::size_t d = vectors.dimension();
  if (sums == nullptr || sums->sum.size() != d || truth.size() != vectors.records()) {
    return Error{ErrorCode::kInvalidArgument, "the tally or the query is of another task"};
  }
  if (d > compiler::kMaxMomentCoordinates) {
    return Error{ErrorCode::kLimitExceeded, "the task's vectors have more than 1,024 dimensions"};
  }
  work.foresee({std::uint64_t{vectors.records()} * d * d / 4 + d * d * d, 5 * 8 * d * d}, "create a smaller task");
  const VectorMoments moments = moments_of(vectors, truth, work);
  if (moments.count[0] == 0 || moments.count[1] == 0) {
    return Error{
        ErrorCode::kInvalidArgument,
        "the query has the same answer for every record, so its estimate rests on no assumption about the reporters"};
  }
  const auto n = static_cast<double>(sums->reports);
  Eigen::VectorXd observed(static_cast<Eigen::Index>(d));
  for (std::size_t j = 0; j < d; ++j) observed[static_cast<Eigen::Index>(j)] = static_cast<double>(sums->sum[j]) / n;
  observed -= moments.mean[0];
  const Eigen::VectorXd delta = moments.mean[1] - moments.mean[0];
  double fraction = 0.5;
  SegmentFit fit;
  for (int round = 0; round < kVectorRounds; ++round) {
    work.spend(d * d);
    const double ones = std::clamp(fraction, 0.0, 1.0);
    Eigen::MatrixXd covariance = ones * moments.covariance[1] + (1 - ones) * moments.covariance[0];
    covariance.diagonal().array() += channel.noise_variance(0);
    fit = SegmentFit();
    covariance /= n;
    covariance.diagonal().array() += 1 / (n * n);
    fit.add(observed, delta, covariance);
    fraction = fit.fraction();
  }
  FitTest test{1, 0, fit.degrees()};
  if (test.degrees > 0) {
    test.statistic = fit.statistic();
    test.p = tails::chi_square_upper_tail(test.statistic, static_cast<double>(test.degrees));
  }
  return GoodnessOfFit{test, test};
}

}  // namespace hearsay::estimator
