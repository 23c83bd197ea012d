// Computes the variances of estimates (ReportVariance) for `sampled` on `characters`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/bit_cube.h"
#include "aggregator/compiler/linear_query.h"
#include "aggregator/planner/report_variance.h"
#include "common/arrangement/characters.h"
#include "common/channel/sampled.h"
#include "hearsay/task.h"

namespace hearsay::planner {

// Computes the variances of the estimates of queries on some attributes. Make one object for several queries. The task
// must outlive the object.
class CharacterVariance {
 public:
  // The task must use `sampled` on `characters`. `attributes` must ascend, and have at most as many elements as the
  // order of `characters`. The cost grows with the number of the attributes' bit patterns, and with 3^attributes.
  CharacterVariance(const Task& task, std::vector<std::uint32_t> attributes);
  // Makes an object for the query `linear` alone. Such an object is faster if the query has weights on few sets of
  // attributes.
  CharacterVariance(const Task& task, const compiler::LinearQuery& linear);

  // Returns the variance of the query's estimate. The query must be compiled for the task, and use coordinates on the
  // object's attributes only.
  ReportVariance of(const compiler::LinearQuery& linear) const;
  // Returns upper bounds. If there are many bit patterns, bound() is much cheaper than of().
  ReportVariance bound(const compiler::LinearQuery& linear) const;
  // Returns the variance of the error against the fraction among the reporters, in one population. people[cell] is the
  // fraction of people in the cell `cell` of cube().
  double among(const compiler::LinearQuery& linear, std::span<const double> people) const;

  const compiler::BitCube& cube() const { return cube_; }

 private:
  // The groups G that have one mask on each axis of a set, and no masks on other axes. The number of a cell encodes one
  // choice of these masks. For each selector, the group of the choice `cell` covers the coordinate (cell & selector).
  // q_G and s_G are those of report_variance.cc, and γ is the probability of a true answer.
  struct Family {
    double gamma;
    double noise;   // p·γ²(1-γ): the factor of q_G; p is the probability of the group of one choice
    double square;  // p·γ³: the factor of E[s_G²]
    double mean;    // p·γ⁴: the factor of E[s_G]²
    std::vector<std::uint32_t> selectors;
  };
  class Population;

  ReportVariance after(const compiler::LinearQuery& linear, std::size_t steps) const;
  CharacterVariance(const Task& task, std::vector<std::uint32_t> attributes, std::vector<std::uint32_t> asked);
  // Adds the families of a set. `asked` lists the sets of axes on which the queries have weights.
  void add_families(std::uint32_t set, std::span<const std::uint32_t> asked);
  // Returns g_j/I_j at the masks of coordinate j, and 0 elsewhere.
  std::vector<double> ratios(const compiler::LinearQuery& linear) const;

  const SampledChannel& channel_;
  compiler::BitCube cube_;
  std::vector<std::vector<Family>> families_;       // one list for each set of axes
  std::vector<std::uint32_t> set_of_;               // for each cell: the axes that have a mask
  std::vector<double> information_;                 // for each set of axes
  std::vector<CharacterIndex::Ranks> coordinates_;  // for each set of axes
};

}  // namespace hearsay::planner
