#include "aggregator/estimator/fit/literal_model.h"

#include <algorithm>
#include <numeric>

#include "aggregator/compiler/class_laws.h"
#include "aggregator/estimator/fit/segment_fit.h"

namespace hearsay::estimator {
namespace {

// If LiteralMean::disturbed is below kFewDisturbed, the noise is more like a Poisson than a normal variable. A
// direction that has no other variance then cannot be tested with χ².
constexpr double kFewDisturbed = 10;

std::vector<double> uniform_means(const Attribute& attribute) {
  const std::vector<double> law(attribute.size(), 1.0 / attribute.size());
  return compiler::coordinate_means(attribute.kind(), law);
}

// Returns (the change of the mean that one report makes)². The model adds this square to each variance. If reports are
// many, the square is negligible. If hardly any noise is expected, the square keeps a single unlikely answer from
// looking like a contradiction.
double grain(const LiteralMean& mean) { return mean.step * mean.step / (mean.reports * mean.reports); }

}  // namespace

std::vector<std::uint32_t> attributes_of_coordinates(const Literals& literals) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t attribute = 0; attribute < literals.blocks().size(); ++attribute) {
    result.insert(result.end(), literals.blocks()[attribute].size, attribute);
  }
  return result;
}

LiteralModel::LiteralModel(const Schema& schema, const Literals& literals, std::span<const LiteralMean> means,
                           std::vector<std::uint32_t> coordinates, const compiler::ClassMoments* moments)
    : means_(means), coordinates_(std::move(coordinates)) {
  const auto size = static_cast<Eigen::Index>(coordinates_.size());
  for (std::size_t b = 0; b < 2; ++b) {
    mean_[b] = Eigen::VectorXd::Zero(size);
    covariance_[b] = Eigen::MatrixXd::Zero(size, size);
  }
  set_uniform(schema, literals, attributes_of_coordinates(literals));
  if (moments != nullptr) set_known(*moments);
  observed_ = -mean_[0];
  for (Eigen::Index i = 0; i < size; ++i) observed_[i] += of(i).mean;
}

void LiteralModel::set_uniform(const Schema& schema, const Literals& literals,
                               const std::vector<std::uint32_t>& attribute_of) {
  for (std::size_t begin = 0; begin < size();) {
    const std::uint32_t attribute = attribute_of[coordinates_[begin]];
    std::size_t end = begin;
    while (end < size() && attribute_of[coordinates_[end]] == attribute) ++end;
    const std::vector<double> uniform = uniform_means(schema[attribute]);
    const std::size_t offset = literals.blocks()[attribute].offset;
    for (std::size_t i = begin; i < end; ++i) {
      const double mean_i = uniform[coordinates_[i] - offset];
      for (std::size_t b = 0; b < 2; ++b) {
        mean_[b][static_cast<Eigen::Index>(i)] = mean_i;
        for (std::size_t j = i; j < end; ++j) {
          const double value =
              compiler::literal_covariance(schema[attribute].kind(), mean_i, uniform[coordinates_[j] - offset], i == j);
          covariance_[b](static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value;
          covariance_[b](static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = value;
        }
      }
    }
    begin = end;
  }
}

void LiteralModel::set_known(const compiler::ClassMoments& moments) {
  members_ = moments.members;
  std::vector<std::pair<Eigen::Index, std::size_t>> known;  // positions in this model and in `moments`
  for (std::size_t i = 0; i < size(); ++i) {
    const auto at = std::lower_bound(moments.coordinates.begin(), moments.coordinates.end(), coordinates_[i]);
    if (at == moments.coordinates.end() || *at != coordinates_[i]) continue;
    known.emplace_back(static_cast<Eigen::Index>(i), static_cast<std::size_t>(at - moments.coordinates.begin()));
  }
  for (std::size_t b = 0; b < 2; ++b) {
    for (const auto& [here, there] : known) {
      mean_[b][here] = moments.mean[b][there];
      for (const auto& [other_here, other_there] : known) {
        covariance_[b](here, other_here) = moments.covariance_of(b == 1, there, other_there);
      }
    }
  }
}

Eigen::MatrixXd LiteralModel::sampling_error(double fraction) const {
  Eigen::MatrixXd error = Eigen::MatrixXd::Zero(observed_.size(), observed_.size());
  const std::array<double, 2> share{1 - fraction, fraction};
  for (std::size_t b = 0; b < 2; ++b) {
    if (members_[b] == 0) continue;
    // As in grain(): (the change of the sampled mean that one record makes)², times the number of sampled members.
    const double grain_of_sample = 4.0 / members_[b];
    error += share[b] * share[b] / members_[b] * covariance_[b];
    error.diagonal().array() += share[b] * share[b] / members_[b] * grain_of_sample;
  }
  return error;
}

Eigen::MatrixXd LiteralModel::covariance(double fraction) const {
  const Eigen::VectorXd mean = fraction * mean_[1] + (1 - fraction) * mean_[0];
  const Eigen::MatrixXd products = fraction * (covariance_[1] + mean_[1] * mean_[1].transpose()) +
                                   (1 - fraction) * (covariance_[0] + mean_[0] * mean_[0].transpose());
  Eigen::MatrixXd result = sampling_error(fraction);
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    const LiteralMean& own = of(i);
    for (Eigen::Index j = 0; j < mean.size(); ++j) {
      if (i == j) {
        result(i, i) += (1 / (own.gamma * own.gamma) - mean[i] * mean[i] + own.noise) / own.reports + grain(own);
      } else if (same_group(i, j)) {
        result(i, j) += (products(i, j) / own.gamma - mean[i] * mean[j]) / own.reports;
      }
    }
  }
  return result;
}

// Decides at ω = ½: a coordinate that is constant there is constant for every ω.
std::vector<Eigen::Index> LiteralModel::independent() const {
  const Eigen::VectorXd mean = 0.5 * (mean_[0] + mean_[1]);
  Eigen::MatrixXd signal = sampling_error(0.5);
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    if (of(i).disturbed >= kFewDisturbed) signal(i, i) += 1 / of(i).reports;
    for (Eigen::Index j = 0; j < mean.size(); ++j) {
      if (!same_group(i, j)) continue;
      double product = 0;
      for (std::size_t b = 0; b < 2; ++b) product += 0.5 * (covariance_[b](i, j) + mean_[b][i] * mean_[b][j]);
      signal(i, j) += (product - mean[i] * mean[j]) / of(i).reports;
    }
  }
  return independent_coordinates(signal);
}

Square uniform_square(const Attribute& attribute, std::span<const LiteralMean> means) {
  const std::vector<double> uniform = uniform_means(attribute);
  const double reports = means.front().reports;
  const double noise = means.front().noise + grain(means.front()) * reports;  // the same for all coordinates
  const auto values = static_cast<double>(attribute.size());
  std::vector<double> x;
  for (std::size_t j = 0; j < means.size(); ++j) x.push_back(means[j].mean - uniform[j]);
  switch (attribute.kind()) {
    case AttributeKind::kBoolean:
      return {reports * x[0] * x[0] / (noise + 1), 1};
    case AttributeKind::kCategorical: {
      // The J indicators of a uniform categorical attribute have the covariance Σ = (4/J)·I - (4/J²)·11ᵀ. Σ has the
      // eigenvalue 0 in the direction (1, …, 1), and 4/J in all orthogonal directions.
      const double along = std::pow(std::accumulate(x.begin(), x.end(), 0.0), 2) / values;
      const double across = std::inner_product(x.begin(), x.end(), x.begin(), 0.0) - along;
      if (means.front().disturbed < kFewDisturbed) return {reports * across / (noise + 4 / values), x.size() - 1};
      return {reports * (across / (noise + 4 / values) + along / noise), x.size()};
    }
    case AttributeKind::kRange:
      break;
  }
  // The coordinates of a uniform range of J values have the covariance Σ_st = (4/J²)·min(s,t)·(J - max(s,t)), so Σ =
  // (4/J)·L⁻¹, where L is the matrix of second differences. So u = (noise·I + Σ)⁻¹x solves the tridiagonal system
  // (noise·L + (4/J)·I)·u = L·x.
  const std::size_t size = x.size();
  const double diagonal = 2 * noise + 4 / values;
  std::vector<double> pivot(size);
  std::vector<double> right(size);
  for (std::size_t t = 0; t < size; ++t) {
    right[t] = 2 * x[t] - (t > 0 ? x[t - 1] : 0) - (t + 1 < size ? x[t + 1] : 0);
    pivot[t] = diagonal - (t > 0 ? noise * noise / pivot[t - 1] : 0);
    if (t > 0) right[t] += noise / pivot[t - 1] * right[t - 1];
  }
  double sum = 0;
  double next = 0;
  for (std::size_t t = size; t-- > 0;) {
    next = (right[t] + (t + 1 < size ? noise * next : 0)) / pivot[t];
    sum += x[t] * next;
  }
  return {reports * sum, size};
}

}  // namespace hearsay::estimator
