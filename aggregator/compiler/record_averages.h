// Averages over sampled records of a query's two classes.
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

// The fewest members of a class. With fewer, the estimated variance of the class mean is too uncertain to state an
// error with: its own relative error is 1/√(2·32), 13 %.
inline constexpr std::uint32_t kMinMembers = 32;

// Both classes below know a record by its cells, on the axes of the blocks. Within a cell all values are equally
// likely, whatever f is. The axes must outlive the averages.

class LawAverages {
 public:
  explicit LawAverages(const std::vector<Cells>& axes);

  void add(const RecordBlock& block, const ClassWords& classes);
  std::array<std::uint32_t, 2> members() const { return members_; }
  // Returns the laws. Needs a member of each class.
  ClassLaws laws() const;
  // Returns the share of the class's members that are in the cell.
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
  // Returns the moments. Needs two members of each class. The variance of a mean is above 0 even if all members look
  // alike; see the .cc.
  ScoreMoments moments() const;

 private:
  // Mean and variance of an attribute's score within each of its cells, and how far apart the means are.
  struct CellScores {
    std::size_t axis;
    std::vector<double> mean;
    std::vector<double> variance;
    double range;
  };
  // Sums over the records of one class. A record adds the mean of its score and the variance that its cells leave.
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
