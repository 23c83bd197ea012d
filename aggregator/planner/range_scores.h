// Computes scores of answers on a circle of J places, for the ranges of an ordered attribute of J values.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::planner {

// The law of the questions is the same for the values x and x + 1, cyclically. So the weights (question_law.h) of the
// indicator of one value, turned, are the weights of the indicator of any other value.
//
// Let h(x) be the weights of the first value's indicator, and C(x) the sum of h up to x. Then the range [0, L) has the
// weights C(x) - C(x - L). For the multiplier j, let A(u) = K·Σ C(x). K is the number of arcs, and the sum is over all
// x whose place j·x is in the arc from place u. The range's score of this arc is A(u) - A(u - j·L).
class RangeScores {
 public:
  // Arcs with the same number of places.
  struct Arcs {
    std::uint32_t places;
    std::uint32_t count;
  };
  // Each row is for one of kLanes lengths, each column for a value or a place.
  static constexpr Eigen::Index kLanes = 4;
  using Lanes = Eigen::Array<double, kLanes, Eigen::Dynamic>;

  RangeScores(std::uint32_t values, std::uint32_t bits);

  const std::vector<Arcs>& arcs() const { return arcs_; }
  // Returns the eigenvalues of the matrix K·Pr[x and y are in one arc] - 1 of one multiplier, at the frequencies 0 to
  // J/2.
  Eigen::VectorXd spectrum(std::uint32_t multiplier) const;

  // set_weights() sets h. ask() chooses the questions whose scores the functions below return.
  void set_weights(std::span<const double> h);
  void ask(std::uint32_t multiplier, const Arcs& arcs);

  // Returns C.
  std::span<const double> sums() const { return sums_; }
  // Returns A for two rounds of the circle.
  std::span<const double> steps() const { return steps_; }
  // Returns the largest |score| of any range.
  double largest() const;
  // Adds to moments[i / kLanes](i % kLanes, x), for each length number i and each value x: `chance` times the sum of
  // the squared scores of the arcs that hold x. `moments` has an element for each kLanes lengths, and one for the rest.
  void add_moments(std::span<const std::uint32_t> lengths, double chance, std::vector<Lanes>& moments);

 private:
  std::uint32_t turned(std::uint32_t length) const {
    return static_cast<std::uint32_t>(std::uint64_t{length} * multiplier_ % size_);
  }

  std::uint32_t size_;  // J
  double answers_;      // K
  std::vector<Arcs> arcs_;
  std::vector<double> together_;  // eigenvalues for the multiplier 1, at all frequencies
  std::vector<double> sums_;
  std::uint32_t multiplier_ = 1;
  Arcs asked_{};
  // The step from the value at one place to the value at the next place. 0 if some places have several values or none.
  std::uint32_t value_step_ = 0;
  std::vector<double> steps_;  // A for two rounds of the circle
  std::vector<double> scaled_;
  Lanes squares_;
  Lanes windows_;
};

}  // namespace hearsay::planner
