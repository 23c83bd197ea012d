// Second moments of the answers to questions about levels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/channel/questions.h"

namespace hearsay::planner {

// Let s be the highest bit in which the values x and y differ. They have the same answer to a question about the set A
// of levels with probability p_A(s): 0 if s is in A, otherwise 2^-(levels of A below s). Three values that differ first
// in bit t, two of which differ first in the lower bit s, have the same answer with probability p_A(t)·p_A(s). So
// moments are sums over the binary tree of the values. A *node* of height t holds the 2^t values with the same bits
// from t up. The values that differ from x first in bit t are one node of height t.
class LevelMoments {
 public:
  // The questions must be levels.
  explicit LevelMoments(const Questions& questions);

  // Weights that are constant on every node without a cut. A cut c lies between the values c - 1 and c. `weight`
  // returns the weight of a value below J.
  using Weight = std::function<double(std::uint32_t value)>;
  using Visit = std::function<void(std::uint32_t first, std::uint32_t last, double moment)>;

  // Calls visit(first, last, E[t·t' at x]) for each largest node without a cut, in which all x have the same moment.
  // `cuts` ascend, from 1 to J-1.
  void visit(const Weight& h, const Weight& h2, std::span<const std::uint32_t> cuts, const Visit& visit) const;

 private:
  struct Node;
  struct Sums;
  class Walk;

  std::uint32_t values_;
  std::uint32_t bits_;
  double answers_;
  // The mean over the sets A, by weight, of p_A(s - 1)·p_A(t - 1), at s·(bits + 1) + t. p_A(-1) = 1 is for a value and
  // itself.
  std::vector<double> both_;
};

}  // namespace hearsay::planner
