// Estimates the means of the coordinates that a query needs, from the reports of the channel `sampled`.
//
// The view groups coordinates into *sets*. On `characters`, a set is all coordinates on exactly the attributes T. On
// `literals`, a set is one coordinate. A *slot* is the number of a coordinate within a view; the coordinates of a set
// have consecutive slots. See sampled_variance.h for the mathematics.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/work.h"
#include "aggregator/estimator/sampled/sampled_index.h"

namespace hearsay::estimator {

struct CoordinateSet {
  std::vector<std::uint32_t> attributes;  // T; on `literals` the coordinate's attribute
  std::uint64_t first = 0;                // the set's coordinates are first, …, first + size - 1
  std::size_t size = 1;                   // M
  std::size_t slot = 0;                   // the slot of the first coordinate
  std::uint32_t axes = 0;                 // T as a set of the view's attributes, bit i for the i-th
  bool by_coordinate = true;              // true if each coordinate is normalised by its own reports
  double single_gamma = 0;                // γ of groups of kind kSingle on this set, or 0
  // If by_coordinate is false: Σ_c N_c·(γ_c²/(M·I))² over the classes c of groups that cover the set. N_c is the number
  // of reports of class c about T, and γ_c their probability of a true answer; M·I = Σ_c γ_c²·N_c. With one class,
  // kappa is 1/N_c.
  double kappa = 0;
};

class SampledView {
 public:
  // One coordinate that a pattern covers.
  struct Term {
    // The coordinate is the parity of the answer's bits that are in the mask.
    std::uint32_t mask;
    std::uint32_t set;
    std::size_t slot;
  };
  // Groups of one class, of kind kRaw or kEven, that have the same bits of the view's attributes. On `literals`, a
  // pattern is one group.
  struct Pattern {
    double gamma = 1;
    double reports = 0;
    // The view's attributes that the groups have, bit i for the i-th.
    std::uint32_t axes = 0;
    // Bits of an answer that the view uses.
    std::uint32_t width = 0;
    // The coordinates that the groups cover.
    std::vector<Term> terms{};
    std::vector<std::uint32_t> answers{};
    std::vector<double> counts{};  // how many reports gave each answer
  };
  // All reports of one class whose groups have the same subset of the view's attributes. `sets` has the positions in
  // sets() of the covered sets with by_coordinate false.
  struct Block {
    double gamma;
    double reports;
    bool wide;  // true if the class's groups have several generators
    std::vector<std::uint32_t> sets;
  };

  // Makes a view on `characters`. `attributes` ascend. Each element of `sets` is a set of these attributes, with bit i
  // for the i-th. The sets are distinct, and none is empty. Errors: kNoReports, kQueryNotCovered (the task never asks
  // about one of the sets), kLimitExceeded. Throws compiler::WorkStopped.
  static Result<SampledView> of_characters(const SampledIndex& index, std::vector<std::uint32_t> attributes,
                                           std::span<const std::uint32_t> sets, compiler::Work& work);
  // Makes a view on `literals`. `coordinates` must ascend, without repetition. Errors: kNoReports. Throws
  // compiler::WorkStopped.
  static Result<SampledView> of_literals(const SampledIndex& index, std::span<const std::uint32_t> coordinates,
                                         compiler::Work& work);

  std::span<const CoordinateSet> sets() const { return sets_; }
  std::size_t slots() const { return information_.size(); }
  std::span<const Pattern> patterns() const { return patterns_; }
  std::span<const Block> blocks() const { return blocks_; }

  // The numbers of a slot: I = Σ γ²·N and J = Σ γ⁴·N over the classes that cover the coordinate, the estimated mean m̂,
  // and the number of reports of kind kSingle.
  double information(std::size_t slot) const { return information_[slot]; }
  double fourth(std::size_t slot) const { return fourth_[slot]; }
  double mean(std::size_t slot) const { return sum_[slot] / information_[slot]; }
  double singles(std::size_t slot) const { return singles_[slot]; }

 private:
  friend class SampledViewBuilder;
  SampledView() = default;

  std::vector<CoordinateSet> sets_;
  std::vector<double> information_;
  std::vector<double> fourth_;
  std::vector<double> sum_;
  std::vector<double> singles_;
  std::vector<Pattern> patterns_;
  std::vector<Block> blocks_;
};

// A cheap check, on `characters`: returns kNoReports if no report has asked about a coordinate on exactly these
// attributes (ascending), or kQueryNotCovered if the task never asks about them. May pass although there is no such
// report. The error names the attributes. Throws compiler::WorkStopped.
Result<void> check_asked(const SampledIndex& index, std::span<const std::uint32_t> attributes, compiler::Work& work);

// Returns Σ_i values[i]·(-1)^popcount(from[i] & to[k]) for every k. Numbers in `from` and `to` have `width` bits.
std::vector<double> character_sums(std::span<const std::uint32_t> from, std::span<const double> values,
                                   std::span<const std::uint32_t> to, std::uint32_t width);

}  // namespace hearsay::estimator
