// Symbols: M = number of records x; m_r = the mean of row r; c_r = (row_r - m_r)/√m_r, the contrasts of row r; χ = a
// frequency; ^ = the Fourier transform; * = convolution; A, C and D as in listed_strategy.cc.
//
// The entry of output (r, s) and record x depends on x - s alone. So the normal equations CᵀD⁻¹C·g = f are diagonal in
// the frequencies: ĝ(χ) = f̂(χ)/λ(χ) with λ(χ) = Σ_r |ĉ_r(χ)|². A product with A takes one transform for each row.
//
// Two rows share a complex transform. Let d = c_1 - i·c_2, and let g, w_1 and w_2 be real functions. Then the real part
// of d * (w_1 + i·w_2) is c_1 * w_1 + c_2 * w_2. The real part of Σ_x conj(d[x - s])·g[x] is Σ_x c_1[x - s]·g[x], and
// the imaginary part is Σ_x c_2[x - s]·g[x].

#include "aggregator/compiler/shift_strategy.h"

#include <algorithm>
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

// `functions` holds functions of `size` elements, one after the other. Returns functions number 2p and 2p + 1, each
// multiplied by its factor, as the real and the imaginary part of one function. If the last function has no partner,
// the imaginary part is 0.
VectorXcd pair_of(const Eigen::Ref<const VectorXd>& functions, const VectorXd& factors, Index size, Index p) {
  VectorXcd pair(size);
  pair.real() = factors[2 * p] * functions.segment(2 * p * size, size);
  if (2 * p + 1 < factors.size()) {
    pair.imag() = factors[2 * p + 1] * functions.segment((2 * p + 1) * size, size);
  } else {
    pair.imag().setZero();
  }
  return pair;
}

// |d^(χ)|² is |c_1^(χ)|² + |c_2^(χ)|² plus an odd function of χ. The average of |d^|² at χ and -χ does not contain the
// odd function. Symbols: top of file.
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
      mean_(row_mean_.transpose().replicate(fourier_.size(), 1).reshaped()),
      pairs_(fourier_.size(), (row_mean_.size() + 1) / 2) {
  constexpr double kLeast = 1e-12;  // an eigenvalue below kLeast times the mean eigenvalue counts as 0
  const VectorXd contrasts = (shift_rows.rows.colwise() - row_mean_).transpose().reshaped();
  GroupFourier::Run run(fourier_);
  for (Index p = 0; p < pairs_.cols(); ++p) {
    VectorXcd pair = pair_of(contrasts, row_mean_.cwiseSqrt().cwiseInverse(), records(), p).conjugate();
    run.forward(pair);
    pairs_.col(p) = pair;
  }
  const VectorXd eigenvalues = eigenvalues_of(pairs_, shift_rows.values);
  const double least = kLeast * eigenvalues.mean();
  inverses_ = (eigenvalues.array() > least).select(eigenvalues.cwiseInverse(), 0);
  inverses_[0] = 0;  // the constant function has no contrasts
}

// Returns factors_r·Σ_x c_r[x - s]·g[x] for every output (r, s), where c_r are the contrasts of row r. `spectrum` is
// the transform of g.
VectorXd ShiftStrategy::correlate(const VectorXcd& spectrum, const VectorXd& factors, GroupFourier::Run& run) const {
  VectorXd result(mean_.size());
  for (Index p = 0; p < pairs_.cols(); ++p) {
    VectorXcd pair = pairs_.col(p).conjugate().cwiseProduct(spectrum);
    run.inverse(pair);
    for (Index r = 2 * p; r < std::min(2 * p + 2, factors.size()); ++r) {
      auto of_row = result.segment(r * records(), records());
      if (r % 2 == 0) {
        of_row = factors[r] * pair.real();
      } else {
        of_row = factors[r] * pair.imag();
      }
    }
  }
  return result;
}

Result<MatrixXd> ShiftStrategy::scores(const MatrixXd& functions) const {
  constexpr double kRounding = 1e-10;
  GroupFourier::Run run(fourier_);
  MatrixXd scores(mean_.size(), functions.cols());
  for (Index i = 0; i < functions.cols(); ++i) {
    const double mean = functions.col(i).mean();
    VectorXcd spectrum = (functions.col(i).array() - mean).matrix().cast<std::complex<double>>();
    run.forward(spectrum);
    spectrum.array() *= inverses_.array();
    scores.col(i) = correlate(spectrum, row_mean_.cwiseSqrt().cwiseInverse(), run).array() + mean;
  }
  const MatrixXd missing = functions - means_of(scores);
  const double largest = scores.cwiseAbs().maxCoeff();
  if (missing.allFinite() && missing.cwiseAbs().maxCoeff() <= kRounding * (1 + largest)) return scores;
  return Error{ErrorCode::kQueryNotCovered, std::string(kNotInRowSpace)};
}

MatrixXd ShiftStrategy::means_of(const MatrixXd& scores) const {
  GroupFourier::Run run(fourier_);
  const VectorXd roots = row_mean_.cwiseSqrt();
  MatrixXd means(records(), scores.cols());
  for (Index i = 0; i < scores.cols(); ++i) {
    VectorXcd sum = VectorXcd::Zero(records());
    for (Index p = 0; p < pairs_.cols(); ++p) {
      VectorXcd pair = pair_of(scores.col(i), roots, records(), p);
      run.forward(pair);
      sum += pairs_.col(p).cwiseProduct(pair);
    }
    run.inverse(sum);
    means.col(i) = sum.real().array() + mean_.dot(scores.col(i));
  }
  return means;
}

MatrixXd ShiftStrategy::outputs_of(const MatrixXd& people) const {
  GroupFourier::Run run(fourier_);
  MatrixXd outputs(mean_.size(), people.cols());
  for (Index i = 0; i < people.cols(); ++i) {
    VectorXcd spectrum = people.col(i).cast<std::complex<double>>();
    run.forward(spectrum);
    outputs.col(i) = correlate(spectrum, row_mean_.cwiseSqrt(), run) + people.col(i).sum() * mean_;
  }
  return outputs;
}

VectorXd ShiftStrategy::shifted_sums(const VectorXd& weights, const VectorXd& scores) const {
  GroupFourier::Run run(fourier_);
  const VectorXd ones = VectorXd::Ones(row_mean_.size());
  VectorXcd sums = VectorXcd::Zero(records());
  for (Index p = 0; p < pairs_.cols(); ++p) {
    VectorXcd of_weights = pair_of(weights, ones, records(), p);
    VectorXcd of_scores = pair_of(scores, ones, records(), p);
    run.forward(of_weights);
    run.forward(of_scores);
    sums += of_weights.cwiseProduct(of_scores.conjugate());
  }
  run.inverse(sums);
  return sums.real();
}

}  // namespace hearsay::compiler
