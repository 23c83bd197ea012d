// Averages over records of a query's two classes, where the reference is known by its records alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggregator/compiler/cells.h"
#include "aggregator/compiler/class_laws.h"

namespace hearsay::compiler {

// Takes one record: f(x), and x's values by attribute.
using RecordVisitor = std::function<void(bool f, std::span<const std::uint32_t> values)>;

// Fewer members of a class are too few: the estimated variance of the class mean is then itself too uncertain
// (1/√(2·32), 13 %) to state an error with.
inline constexpr std::uint32_t kMinMembers = 32;

// Both averages know a record by its cells. Within a cell, values are uniform in both classes. The axes must outlive
// the averages.

class LawAverages {
 public:
  explicit LawAverages(const std::vector<Cells>& axes);

  void add(bool f, std::span<const std::uint32_t> values);
  std::array<std::uint32_t, 2> members() const { return members_; }
  // Needs a member of each class.
  ClassLaws laws() const;

 private:
  const std::vector<Cells>& axes_;
  std::array<std::uint32_t, 2> members_{0, 0};
  std::array<std::vector<std::vector<std::uint32_t>>, 2> count_;  // per class, axis and cell
};

class MomentAverages {
 public:
  // Scores of attributes that have no axis do not count.
  MomentAverages(const std::vector<Cells>& axes, std::span<const AttributeScore> scores);

  void add(bool f, std::span<const std::uint32_t> values);
  // Needs two members of each class. No mean has the variance 0 only because the members look alike; see the .cc.
  ScoreMoments moments() const;

 private:
  // Mean and variance of an attribute's score within each of its cells, and how far apart the means are.
  struct CellScores {
    const Cells& cells;
    std::vector<double> mean;
    std::vector<double> variance;
    double range;
  };
  // Mean of some numbers, and the sum of squares of their deviations from it, number by number (Welford 1962).
  struct Spread {
    long double mean = 0;
    long double squares = 0;
    void add(long double value, std::uint32_t count);  // count: of the numbers, with this one
  };
  // Of the records of one class: each comes with the mean of its score and the variance that is left in its cells.
  struct Sums {
    std::uint32_t count = 0;
    Spread score;
    std::vector<Spread> of_attribute;
    long double within = 0;  // Σ of the variances left
  };

  static long double unseen_deviation(const Sums& sums, const std::vector<CellScores>& scores);

  std::vector<CellScores> scores_;
  std::array<Sums, 2> sums_;
};

}  // namespace hearsay::compiler
