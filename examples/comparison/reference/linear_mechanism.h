// A mechanism on a list of cells: levels, frequency oracles, linear answers. Most reference mechanisms are of this
// form.
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

// A frequency oracle estimates the fraction of people in every cell. Each of them has counts(), estimate() and
// report_variances().
using FrequencyOracle = std::variant<UnaryEncoding, KaryResponse, HadamardResponse, SubsetSelection, SignedHadamard>;

// A partition of the domain's cells into parts, with the oracle that asks in which part a person is.
struct Level {
  FrequencyOracle oracle;
  std::size_t parts;
  std::vector<std::uint32_t> part_of;  // per cell
};

using LevelValues = std::vector<std::vector<double>>;  // per level, per part

// The answer to Σ_x function[x]·(fraction of people in cell x) is offset + Σ weight·estimate, over all levels and
// parts.
struct LevelWeights {
  double offset;
  LevelValues weights;
};

// Every person is asked about one level, drawn uniformly. A level's estimates come from the people who were asked about
// this level. Answers are linear in the estimates of all levels. A plain frequency oracle has one level.
struct LinearMechanism {
  std::vector<Level> levels;
  // Computes estimates of the cells from the estimates of the parts.
  std::function<std::vector<double>(const LevelValues&)> cells;
  // The same map in the form of weights, for a function that is given per cell.
  std::function<LevelWeights(std::span<const double> function)> weights;

  // Lets a population report once, and returns estimates of the cells. `histogram` counts the people by cell. NaN if a
  // level was asked of nobody.
  std::vector<double> run(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;

  // n times the variance of the answer to `function` from n people drawn anew from a population. `parts` is the share
  // of the population in each cell. Each level is taken to be asked of as many people as expected. The result is Σ over
  // levels of (E[v] + Var[u·w])/u, over the population: w are the weights, u is the number of levels, and v are the
  // oracle's report_variances() of u·w.
  double variance(std::span<const double> function, std::span<const double> parts) const;
  // The largest variance() over all populations, to 0.01 %. If this is at most `ignore`, returns 0.
  double worst_variance(std::span<const double> function, double ignore = 0) const;
};

// The oracle's own estimates.
LinearMechanism plain(const FrequencyOracle& oracle, std::size_t cells);
// The same after make_sum_to_one().
LinearMechanism sum_to_one(const FrequencyOracle& oracle, std::size_t cells);

// The largest value, over all mixtures of the vertices, of Σ_l (E[square of l] - (E[mean of l])²), to 0.01 %.
struct Vertex {
  double squares;             // of all l together
  std::vector<double> means;  // per l
};
double largest_variance(std::vector<Vertex> vertices);

}  // namespace hearsay::examples
