// Computes averages over sampled records of a query's two classes, the records with f = 0 and those with f = 1.
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

// A function that receives records of both classes, at most 64 at a time.
using BlockVisitor = std::function<void(const RecordBlock& block, const ClassWords& classes)>;

// The fewest sampled members that a class must have. With 32 members, the estimated standard error of the class mean
// has itself a relative error of about 1/√(2·32), 13 %. With fewer members, this standard error would be too uncertain
// to state.
inline constexpr std::uint32_t kMinMembers = 32;

// Adds up the laws of the attributes' values within each class. LawAverages and MomentAverages know only the cells of a
// record's values. Within a cell all values count as equally likely. The axes must outlive the averages.
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
  // Ignores the scores of attributes that have no axis.
  MomentAverages(const std::vector<Cells>& axes, std::span<const AttributeScore> scores);

  void add(const RecordBlock& block, const ClassWords& classes);
  // Returns the moments. Needs two members of each class. The variance of a mean is above 0 even if all members look
  // alike; record_averages.cc says why.
  ScoreMoments moments() const;

 private:
  // Mean and variance of an attribute's score within each of its cells. `range` is the largest mean minus the smallest
  // mean.
  struct CellScores {
    std::size_t axis;
    std::vector<double> mean;
    std::vector<double> variance;
    double range;
  };
  // Sums over the records of one class. A record's cells determine the mean of its score, and the variance of the score
  // given the cells.
  struct Sums {
    std::uint32_t count = 0;
    long double mean = 0;
    long double squares = 0;  // squared deviations of the records' means from the mean so far (Welford 1962)
    long double within = 0;   // Σ of the variances given the cells
  };

  long double unseen_deviation(std::size_t b) const;

  LawAverages laws_;
  std::vector<CellScores> scores_;
  std::array<Sums, 2> sums_;
};

}  // namespace hearsay::compiler
