// Computes second moments of the answers to questions about levels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/channel/questions.h"

namespace hearsay::planner {

// Let s be the highest bit in which the values x and y differ. Let A be the set of levels that a question asks. Then x
// and y have the same answer with probability p_A(s). p_A(s) is 0 if s is in A, and otherwise 2^-(number of levels of A
// below s). Take values x, y, z. Let t be the highest bit in which x differs from y, and also from z. Let s, a lower
// bit than t, be the highest bit in which y differs from z. All three values have the same answer with probability
// p_A(t)·p_A(s). So moments are sums over the binary tree of the values. A *node* of height t holds the 2^t values with
// the same bits from t up. The values that differ from x in bit t, but in no higher bit, are one node of height t.
class LevelMoments {
 public:
  // The questions must be LevelQuestions.
  explicit LevelMoments(const Questions& questions);

  // Gives the weight of each value below J, the number of values. Weights must be constant on every node without a cut.
  // A cut c lies between the values c - 1 and c.
  using Weight = std::function<double(std::uint32_t value)>;
  using Visit = std::function<void(std::uint32_t first, std::uint32_t last, double moment)>;

  // Calls visit(first, last, E[t·t' at x]) for each largest node without a cut. All values x in such a node have the
  // same moment. `cuts` ascend, from 1 to J-1.
  void visit(const Weight& h, const Weight& h2, std::span<const std::uint32_t> cuts, const Visit& visit) const;

 private:
  struct Node;
  struct Sums;
  class Walk;

  std::uint32_t values_;
  std::uint32_t bits_;
  double answers_;
  // Element s·(bits + 1) + t is the weighted mean of p_A(s - 1)·p_A(t - 1) over the sets A. p_A(-1) = 1 is the
  // probability for a value and itself.
  std::vector<double> both_;
};

}  // namespace hearsay::planner
