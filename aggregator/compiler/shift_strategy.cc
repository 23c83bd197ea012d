// Symbols: M records x; row r with the mean m_r; its contrasts c_r = (row_r - m_r)/√m_r; χ = a frequency, and ^ the
// transform; A, C and D as in listed_strategy.cc.
//
// The entry of output (r, s) and record x depends on x - s alone. So the normal equations CᵀD⁻¹C·g = f are diagonal in
// the frequencies: ĝ(χ) = f̂(χ)/λ(χ) with λ(χ) = Σ_r |ĉ_r(χ)|². Products with A are one transform for each row.
//
// Two rows share a complex transform. With d = c_1 - i·c_2, the real part of d * (w_1 + i·w_2) is c_1*w_1 + c_2*w_2.
// Σ_x conj(d[x - s])·g[x] has the products with c_1 and c_2 as its real and its imaginary part.

#include "aggregator/compiler/shift_strategy.h"

#include <complex>
#include <string>

#include "aggregator/compiler/strategy_decoder.h"
#include "common/channel/shift_group.h"

namespace hearsay::compiler {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

// Two columns are the real and the imaginary part of one. An odd last column has no imaginary part.
MatrixXcd paired(const MatrixXd& columns) {
  MatrixXcd pairs = MatrixXcd::Zero(columns.rows(), (columns.cols() + 1) / 2);
  for (Index i = 0; i < columns.cols(); ++i) {
    if (i % 2 == 0) {
      pairs.col(i / 2).real() = columns.col(i);
    } else {
      pairs.col(i / 2).imag() = columns.col(i);
    }
  }
  return pairs;
}

MatrixXd parted(const MatrixXcd& pairs, Index columns) {
  MatrixXd parts(pairs.rows(), columns);
  for (Index i = 0; i < columns; ++i) {
    if (i % 2 == 0) {
      parts.col(i) = pairs.col(i / 2).real();
    } else {
      parts.col(i) = pairs.col(i / 2).imag();
    }
  }
  return parts;
}

// |d^(χ)|² is |c_1^(χ)|² + |c_2^(χ)|² and an odd function of χ, which goes away with that of -χ.
VectorXd eigenvalues_of(const MatrixXcd& pairs, const std::vector<std::uint32_t>& values) {
  const VectorXd energies = pairs.rowwise().squaredNorm();
  const ShiftGroup group(values);
  VectorXd eigenvalues(energies.size());
  for (Index i = 0; i < energies.size(); ++i) {
    eigenvalues[i] = (energies[i] + energies[group.difference(0, static_cast<std::uint32_t>(i))]) / 2;
  }
  return eigenvalues;
}

}  // namespace

ShiftStrategy::ShiftStrategy(const ShiftRows& shift_rows)
    : fourier_(shift_rows.values),
      row_mean_(shift_rows.rows.rowwise().mean()),
      mean_(row_mean_.transpose().replicate(fourier_.size(), 1).reshaped()) {
  constexpr double kLeast = 1e-12;  // of their mean; less counts as 0
  const VectorXd roots = row_mean_.cwiseSqrt();
  const MatrixXd contrasts = roots.cwiseInverse().asDiagonal() * (shift_rows.rows.colwise() - row_mean_);
  pairs_ = paired(contrasts.transpose()).conjugate();
  fourier_.forward(pairs_);
  const VectorXd eigenvalues = eigenvalues_of(pairs_, shift_rows.values);
  const double least = kLeast * eigenvalues.mean();
  inverses_ = (eigenvalues.array() > least).select(eigenvalues.cwiseInverse(), 0);
  inverses_[0] = 0;  // contrasts do not tell the constant
}

// Returns Σ_x c_r[x - s]·g[x]·m_r^power for every output, where `spectrum` is that of g.
VectorXd ShiftStrategy::correlate(const VectorXcd& spectrum, double power) const {
  MatrixXcd products = pairs_.conjugate().array().colwise() * spectrum.array();
  fourier_.inverse(products);
  const VectorXd factors = row_mean_.array().pow(power);
  return (parted(products, row_mean_.size()) * factors.asDiagonal()).reshaped();
}

Result<MatrixXd> ShiftStrategy::scores(const MatrixXd& functions) const {
  constexpr double kRounding = 1e-10;
  MatrixXd scores(mean_.size(), functions.cols());
  for (Index i = 0; i < functions.cols(); ++i) {
    const double mean = functions.col(i).mean();
    MatrixXcd spectrum = (functions.col(i).array() - mean).matrix().cast<std::complex<double>>();
    fourier_.forward(spectrum);
    spectrum.array() *= inverses_.array();
    scores.col(i) = correlate(spectrum, -0.5).array() + mean;
  }
  const MatrixXd missing = functions - means_of(scores);
  const double largest = scores.cwiseAbs().maxCoeff();
  if (missing.allFinite() && missing.cwiseAbs().maxCoeff() <= kRounding * (1 + largest)) return scores;
  return Error{ErrorCode::kQueryNotCovered, std::string(kNotInRowSpace)};
}

MatrixXd ShiftStrategy::means_of(const MatrixXd& scores) const {
  const VectorXd roots = row_mean_.cwiseSqrt();
  MatrixXd means(records(), scores.cols());
  for (Index i = 0; i < scores.cols(); ++i) {
    MatrixXcd weighted = paired(scores.col(i).reshaped(records(), row_mean_.size()) * roots.asDiagonal());
    fourier_.forward(weighted);
    MatrixXcd sum = pairs_.cwiseProduct(weighted).rowwise().sum();
    fourier_.inverse(sum);
    means.col(i) = sum.real().array() + mean_.dot(scores.col(i));
  }
  return means;
}

MatrixXd ShiftStrategy::outputs_of(const MatrixXd& people) const {
  MatrixXd outputs(mean_.size(), people.cols());
  for (Index i = 0; i < people.cols(); ++i) {
    MatrixXcd spectrum = people.col(i).cast<std::complex<double>>();
    fourier_.forward(spectrum);
    outputs.col(i) = correlate(spectrum, 0.5) + people.col(i).sum() * mean_;
  }
  return outputs;
}

VectorXd ShiftStrategy::shifted_sums(const VectorXd& weights, const VectorXd& scores) const {
  MatrixXcd of_weights = paired(weights.reshaped(records(), row_mean_.size()));
  MatrixXcd of_scores = paired(scores.reshaped(records(), row_mean_.size()));
  fourier_.forward(of_weights);
  fourier_.forward(of_scores);
  MatrixXcd sums = of_weights.cwiseProduct(of_scores.conjugate()).rowwise().sum();
  fourier_.inverse(sums);
  return sums.real();
}

}  // namespace hearsay::compiler
