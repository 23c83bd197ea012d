// Computes the energies of functions of one attribute under one-bit questions, given the questions' weights.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/mechanism.h"

namespace hearsay::planner {

// Questions of one bit about one attribute.
enum class QuestionFamily : std::uint8_t {
  kParities,  // parities of the value's bits, all equally likely
  kRanges,    // half-circles on a circle of J places (J values): good for ranges
  // Half-circles on a circle of 2J places with odd multipliers: good for prefixes.
  kPrefixes,
  // Half-circles on a circle of 2(J-1) places with the multiplier 1, which asks [value >= t]: good for means.
  kThresholds
};

// The families that use the order of the values.
inline constexpr std::array kOrderedFamilies{QuestionFamily::kRanges, QuestionFamily::kPrefixes,
                                             QuestionFamily::kThresholds};

// Returns true if the family can ask about an attribute of `values` values.
bool can_ask(QuestionFamily family, std::uint32_t values);

// Holds functions g of an attribute, and computes their energies (question_law.h) from the weights of the family's
// multipliers.
//
// On a circle the matrix of the questions is diagonal in the circle's frequencies k. So the energy is Σ_k |ĝ(k)|²/λ(k),
// where ĝ is the transform of g and λ(k) = Σ_j w_j·d_j(k). w_j is the weight of the multiplier j, and d_j the spectrum
// of its half-circles. On circles of more than 2^11 places the class leaves out the smallest parts of d_j, so energies
// are up to 2 % too large.
class QuestionCosts {
 public:
  // Requires can_ask(family, values).
  QuestionCosts(QuestionFamily family, std::uint32_t values);

  // Adds a function, given by its value for each value of the attribute. Returns the function's number, from 0 on.
  std::size_t add(std::span<const double> function);

  std::uint32_t values() const { return values_; }
  std::size_t functions() const { return static_cast<std::size_t>(energies_.size()); }
  // Returns the number of multipliers that have weights; 0 for families without weights.
  std::size_t multipliers() const { return multipliers_.size(); }

  // Returns about how many multiplications set_weights() and gradient() take together.
  double work() const { return static_cast<double>(spectra_.nonZeros() * 2 + powers_.size() * 2); }

  // Computes the functions' means and energies. `weights` has one number for each multiplier. The numbers sum to 1.
  void set_weights(const Eigen::VectorXd& weights);
  double energy(std::size_t function) const { return energies_[static_cast<Eigen::Index>(function)]; }
  double mean(std::size_t function) const { return means_[static_cast<Eigen::Index>(function)]; }
  // Returns Σ_g factors[g]·(-∂energy_g/∂w_j) for each multiplier j. The derivatives are for fixed means.
  Eigen::VectorXd gradient(const Eigen::VectorXd& factors) const;

  // Returns the questions, with `weights` as integers. Leaves out multipliers with next to no weight, as long as no
  // frequency loses more than 0.2 % of its information.
  QuestionSpec spec(const Eigen::VectorXd& weights) const;

 private:
  using Spectra = Eigen::SparseMatrix<double, Eigen::RowMajor>;

  void add_spectra();
  std::uint32_t frequency(Eigen::Index column) const;
  Eigen::VectorXcd transform(std::span<const double> function) const;

  QuestionFamily family_;
  std::uint32_t values_;
  std::uint32_t places_ = 0;                 // N; 0 if no multipliers have weights
  std::vector<std::complex<double>> roots_;  // z^m for m = 0..N-1, z = e^{-2πi/N}
  std::vector<std::uint32_t> multipliers_;
  Spectra spectra_;                           // d_j(k), at (multiplier, frequency)
  Eigen::VectorXd counts_;                    // for each frequency k: 2/N if k and -k differ, else 1/N
  Eigen::VectorXcd constant_;                 // for kPrefixes: the transform of the function 1
  std::vector<Eigen::VectorXcd> transforms_;  // for kPrefixes: the transforms of the functions
  Eigen::MatrixXd powers_;   // at (function, frequency): counts·|ĝ - mean·1̂|²; may have spare rows
  Eigen::VectorXd inverse_;  // 1/λ
  Eigen::VectorXd energies_;
  Eigen::VectorXd means_;
};

}  // namespace hearsay::planner
