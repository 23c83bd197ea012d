// The common form of most reference mechanisms: people report about levels by frequency oracles, and answers are linear
// in the estimates.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <variant>
#include <vector>

#include "examples/comparison/reference/hadamard_response.h"
#include "examples/comparison/reference/kary_response.h"
#include "examples/comparison/reference/signed_hadamard.h"
#include "examples/comparison/reference/subset_selection.h"
#include "examples/comparison/reference/unary_encoding.h"

namespace hearsay::examples {

// A frequency oracle estimates the fraction of people in every cell. Each oracle has counts(), estimate() and
// report_variances().
using FrequencyOracle = std::variant<UnaryEncoding, KaryResponse, HadamardResponse, SubsetSelection, SignedHadamard>;

// A partition of the domain's cells into parts, with the oracle by which a person reports a part.
struct Level {
  FrequencyOracle oracle;
  std::size_t parts;                   // number of parts
  std::vector<std::uint32_t> part_of;  // for each cell, its part
};

using LevelValues = std::vector<std::vector<double>>;  // a value for each level and part

// The answer to Σ_x function[x]·(fraction of people in cell x) is offset + Σ weight·estimate, summed over all levels
// and parts.
struct LevelWeights {
  double offset;
  LevelValues weights;
};

// Every person reports about one level, drawn uniformly. A level's estimates come from the people who report about this
// level. Answers are linear in the estimates of all levels. A plain frequency oracle has one level.
struct LinearMechanism {
  std::vector<Level> levels;
  // Computes estimates of the cells from the estimates of the parts.
  std::function<std::vector<double>(const LevelValues&)> cells;
  // Returns the offset and the weights that answer a function of the cells. The answer is the same as the sum of
  // function[x] times the estimate of cell x by cells().
  std::function<LevelWeights(std::span<const double> function)> weights;

  // Lets a population report once, and returns the estimates of the cells: NaN if nobody drew one of the levels.
  // `histogram` counts the people by cell.
  std::vector<double> run(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;

  // Returns n times the variance of the answer to `function` from n people drawn at random from a population. `parts`
  // is the share of the population in each cell. The formula assumes that each of the u levels gets n/u reports. The
  // result is Σ over levels of (E[v] + Var[u·w])/u, with mean and variance over the population. Here w are the weights,
  // and v are the oracle's report_variances() of u·w.
  double variance(std::span<const double> function, std::span<const double> parts) const;
  // Returns the largest variance() over all populations, to 0.01 %. May return 0 if this variance is at most `ignore`.
  double worst_variance(std::span<const double> function, double ignore = 0) const;
};

// Makes the mechanism whose answers come from the oracle's estimates.
LinearMechanism plain(const FrequencyOracle& oracle, std::size_t cells);
// Makes the mechanism whose answers come from the oracle's estimates after make_sum_to_one().
LinearMechanism sum_to_one(const FrequencyOracle& oracle, std::size_t cells);

// The moments of a population in which everybody is in one cell.
struct Vertex {
  double squares;             // sum of the second moments over all levels
  std::vector<double> means;  // the mean of each level
};
// Returns the largest value of Σ_l (E[square of l] - (E[mean of l])²) over all mixtures of the vertices. Here l runs
// over the levels. The value is exact to 0.01 %. If the search does not come so close, the value is an upper bound.
double largest_variance(std::vector<Vertex> vertices);

}  // namespace hearsay::examples
