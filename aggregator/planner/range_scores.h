// The scores of answers about an ordered attribute of J values on a circle of J places, for its ranges.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::planner {

// The law of the questions is the same for x and x + 1, cyclically. So the weights h (question_law.h) of the first
// value's indicator, turned, are those of every other value's. With C(x) = Σ of h up to x, the range [0, L) has the
// weights C(x) - C(x - L), and its score of the arc from place u is A(u) - A(u - j·L) for the multiplier j,
// A(u) = K·Σ C(x) over the x whose place j·x is in the arc.
class RangeScores {
 public:
  // Arcs with the same number of places.
  struct Arcs {
    std::uint32_t places;
    std::uint32_t count;
  };
  // One row for each of kLanes lengths, one column for each value or place.
  static constexpr Eigen::Index kLanes = 4;
  using Lanes = Eigen::Array<double, kLanes, Eigen::Dynamic>;

  RangeScores(std::uint32_t values, std::uint32_t bits);

  const std::vector<Arcs>& arcs() const { return arcs_; }
  // Eigenvalues, at the frequencies 0 to J/2, of the matrix K·Pr[x and y are in one arc] - 1 of one multiplier.
  Eigen::VectorXd spectrum(std::uint32_t multiplier) const;

  // h, and which questions to score. The scores below are of these.
  void set_weights(std::span<const double> h);
  void ask(std::uint32_t multiplier, const Arcs& arcs);

  // C.
  std::span<const double> sums() const { return sums_; }
  // A, twice over.
  std::span<const double> steps() const { return steps_; }
  // The largest |score| of any range.
  double largest() const;
  // For each of the lengths and each value x: adds `chance`, times the sum of the squared scores of the arcs that hold
  // x, to moments[i / kLanes](i % kLanes, x). `moments` has an element for every kLanes lengths or part of them.
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
  // From the value at a place to that at the next. 0 if places have several values or none.
  std::uint32_t value_step_ = 0;
  std::vector<double> steps_;     // A, twice over
  std::vector<double> scaled_;
  Lanes squares_;
  Lanes windows_;
};

}  // namespace hearsay::planner
