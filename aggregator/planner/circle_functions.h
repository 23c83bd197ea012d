// Computes second moments of answers about functions of one attribute, given the weights of a circle's multipliers.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/mechanism.h"

namespace hearsay::planner {

// The moments of a function g of one attribute, under given questions. t is the score of an answer, and μ the mean of g
// (aggregator/compiler/question_law.h). A kind is all people for whom g has the same value. The attribute's value with
// the largest second moment stands for the kind.
struct FunctionMoments {
  struct Kind {
    double deviation;  // g - μ
    double moment;     // the largest E[t²] of true answers
  };
  double mean = 0;    // μ
  double energy = 0;  // E[t²] for uniform answers
  std::vector<Kind> kinds;
};

// Holds functions g of an attribute with J values. The questions about the attribute are arcs of a circle of J places.
// The matrix of the questions is circulant, so the weights h follow from g by a Fourier transform. The mean of a
// function does not depend on the multipliers' weights.
class CircleFunctions {
 public:
  // `values` is from 3 to 2^10, and at least 2^bits.
  CircleFunctions(std::uint32_t values, std::uint32_t bits);

  // Adds a function, given by its value for each value of the attribute. Returns the function's number, from 0 on.
  std::size_t add(std::span<const double> function);
  std::size_t multipliers() const { return static_cast<std::size_t>(spectra_.cols()); }

  // Sets the weights of the multipliers 1, 2, …. The weights must sum to 1.
  void set_weights(const Eigen::VectorXd& weights);
  const FunctionMoments& function(std::size_t number) const { return functions_[number].moments; }
  // Adds to `slopes` the derivatives of by_energy·energy + Σ by_moment·moment by the multipliers' weights. The sum is
  // over the function's kinds.
  void add_slopes(std::size_t number, double by_energy, std::span<const double> by_moment,
                  Eigen::VectorXd& slopes) const;

  // Returns about how many multiplications set_weights() and add_slopes() take for all functions.
  double work() const;

  // Returns the questions, with `weights` as integers. Leaves out multipliers that add next to no information.
  CircleQuestions spec(const Eigen::VectorXd& weights) const;
  // Returns the weights of all multipliers that `circle` states, divided by the sum of these weights.
  Eigen::VectorXd weights_of(const CircleQuestions& circle) const;

 private:
  struct Arcs {  // arcs of one length
    std::uint32_t places;
    std::uint32_t count;
  };
  struct Function {
    FunctionMoments moments;
    std::vector<std::vector<std::uint32_t>> values;  // the values of each kind
    std::vector<std::uint32_t> worst;                // by kind: the value with the largest moment
    Eigen::VectorXcd transform;                      // the transform of g - μ
    Eigen::VectorXcd scores;                         // the transform of h
    std::vector<Eigen::ArrayXXd> sums;  // for each length of arcs, at (start, multiplier): Σ of h over the arc
    Eigen::MatrixXd by_multiplier;      // at (multiplier, kind): the moment of the kind's worst value
  };

  std::uint32_t place(std::size_t multiplier, std::uint32_t value) const {
    return static_cast<std::uint32_t>((multiplier + 1) * value % size_);
  }
  double kernel(std::uint32_t distance) const;
  void set_function(Function& function) const;
  std::uint32_t next(std::uint32_t place, std::size_t j) const;
  void set_sums(const Eigen::VectorXd& h, std::size_t j, std::vector<Eigen::ArrayXXd>& sums) const;
  void add_squares(const double* sums, const Arcs& arcs, double* of_place) const;
  Eigen::VectorXd sensitivity(const Function& function, std::uint32_t value) const;

  std::uint32_t size_;  // J
  std::uint32_t bits_;
  std::vector<Arcs> arcs_;
  Eigen::MatrixXcd roots_;   // the matrix of the Fourier transform, at (frequency, value)
  Eigen::MatrixXd spectra_;  // the eigenvalues of the multipliers' matrices, at (frequency, multiplier)
  Eigen::VectorXd weights_;
  Eigen::VectorXd inverse_;  // by frequency: 1 over the eigenvalue, but 0 for frequency 0
  std::vector<Function> functions_;
};

}  // namespace hearsay::planner
