// What functions of one attribute cost under questions of one bit, as their weights change.
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
  kParities,   // of the value's bits, all alike
  kRanges,     // half-circles on a circle of J places, J the number of values: good for ranges
  kPrefixes,   // half-circles on a circle of 2J places with odd multipliers: good for prefixes
  kThresholds  // on a circle of 2(J-1) places with multiplier 1, which asks [value >= t]: good for means
};

// Those that have a use for the values' order.
inline constexpr std::array kOrderedFamilies{QuestionFamily::kRanges, QuestionFamily::kPrefixes,
                                             QuestionFamily::kThresholds};

// Whether a family can ask about an attribute of so many values.
bool can_ask(QuestionFamily family, std::uint32_t values);

// The energies of functions g of an attribute (question_law.h), by the weights of the family's multipliers.
//
// On a circle the matrix of the questions is diagonal at the circle's frequencies, so the energy is
// Σ_k |ĝ(k)|²/λ(k), λ(k) = Σ_j w_j·d_j(k) with d_j the spectrum of the half-circles with multiplier j. On
// circles of more than 2^11 places the smallest parts of d_j are left out, so that energies are up to 2 % too large.
class QuestionCosts {
 public:
  // The family can ask about so many values.
  QuestionCosts(QuestionFamily family, std::uint32_t values);

  // Adds a function, by its value for each value of the attribute, and returns its number: from 0 on.
  std::size_t add(std::span<const double> function);

  std::uint32_t values() const { return values_; }
  std::size_t functions() const { return static_cast<std::size_t>(energies_.size()); }
  // Multipliers to choose among; 0 where the family has nothing to choose.
  std::size_t multipliers() const { return multipliers_.size(); }

  // Multiplications of set_weights() and gradient() together.
  double work() const { return static_cast<double>(spectra_.nonZeros() * 2 + powers_.size() * 2); }

  // Computes the functions' means and energies for these weights, one for each multiplier, which sum to 1.
  void set_weights(const Eigen::VectorXd& weights);
  double energy(std::size_t function) const { return energies_[static_cast<Eigen::Index>(function)]; }
  double mean(std::size_t function) const { return means_[static_cast<Eigen::Index>(function)]; }
  // Σ_g factors[g]·(-∂energy_g/∂w_j) for each multiplier j, the means held fixed.
  Eigen::VectorXd gradient(const Eigen::VectorXd& factors) const;

  // The questions with these weights as integers. Leaves out multipliers with next to no weight as long as no frequency
  // loses more than 0.2 % of its information.
  QuestionSpec spec(const Eigen::VectorXd& weights) const;

 private:
  using Spectra = Eigen::SparseMatrix<double, Eigen::RowMajor>;

  void add_spectra();
  std::uint32_t frequency(Eigen::Index column) const;
  Eigen::VectorXcd transform(std::span<const double> function) const;

  QuestionFamily family_;
  std::uint32_t values_;
  std::uint32_t places_ = 0;                  // 0 where not on a circle with multipliers to choose
  std::vector<std::complex<double>> roots_;   // z^m for m = 0..N-1
  std::vector<std::uint32_t> multipliers_;
  Spectra spectra_;                           // d: [multiplier][frequency]
  Eigen::VectorXd counts_;                    // per frequency k: how many of k and -k there are, over the places
  Eigen::VectorXcd constant_;                 // the transform of the function 1 (kPrefixes)
  std::vector<Eigen::VectorXcd> transforms_;  // of the functions (kPrefixes)
  Eigen::MatrixXd powers_;                    // counts·|ĝ - mean·1̂|²: [function][frequency]; may have spare rows
  Eigen::VectorXd inverse_;                   // 1/λ
  Eigen::VectorXd energies_;
  Eigen::VectorXd means_;
};

}  // namespace hearsay::planner
