// Averages over records of a query's two classes, where the reference is known by its records alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggregator/compiler/cells.h"
#include "aggregator/compiler/class_laws.h"
#include "aggregator/compiler/record_block.h"

namespace hearsay::compiler {

// Takes records of both classes, at most 64 at a time.
using BlockVisitor = std::function<void(const RecordBlock& block, const ClassWords& classes)>;

// Fewer members of a class are too few: the estimated variance of the class mean is then itself too uncertain
// (1/√(2·32), 13 %) to state an error with.
inline constexpr std::uint32_t kMinMembers = 32;

// Both averages know a record by its cells, on the axes of the blocks. Within a cell, values are uniform in both
// classes. The axes must outlive the averages.

class LawAverages {
 public:
  explicit LawAverages(const std::vector<Cells>& axes);

  void add(const RecordBlock& block, const ClassWords& classes);
  std::array<std::uint32_t, 2> members() const { return members_; }
  // Needs a member of each class.
  ClassLaws laws() const;
  // Share of the class's members that are in the cell.
  double share(std::size_t b, std::size_t axis, std::size_t cell) const {
    return static_cast<double>(count_[b][axis][cell]) / members_[b];
  }

 private:
  const std::vector<Cells>& axes_;
  std::array<std::uint32_t, 2> members_{0, 0};
  std::array<std::vector<std::vector<std::uint32_t>>, 2> count_;  // per class, axis and cell
};

class MomentAverages {
 public:
  // Scores of attributes that have no axis do not count.
  MomentAverages(const std::vector<Cells>& axes, std::span<const AttributeScore> scores);

  void add(const RecordBlock& block, const ClassWords& classes);
  // Needs two members of each class. No mean has the variance 0 only because the members look alike; see the .cc.
  ScoreMoments moments() const;

 private:
  // Mean and variance of an attribute's score within each of its cells, and how far apart the means are.
  struct CellScores {
    std::size_t axis;
    std::vector<double> mean;
    std::vector<double> variance;
    double range;
  };
  // Of the records of one class: each comes with the mean of its score and the variance that is left in its cells.
  struct Sums {
    std::uint32_t count = 0;
    long double mean = 0;
    long double squares = 0;  // of deviations of the records' means from their mean so far (Welford 1962)
    long double within = 0;   // Σ of the variances left
  };

  long double unseen_deviation(std::size_t b) const;

  LawAverages laws_;
  std::vector<CellScores> scores_;
  std::array<Sums, 2> sums_;
};

}  // namespace hearsay::compiler
