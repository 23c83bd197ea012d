// What the reference mechanisms on a list of cells have in common: levels, frequency oracles, linear answers.
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

// Each estimates the fraction of people in every cell. See any of them for counts(), estimate(), report_variances().
using FrequencyOracle = std::variant<UnaryEncoding, KaryResponse, HadamardResponse, SubsetSelection, SignedHadamard>;

// A partition of the domain's cells, with the oracle that asks in which part a person is.
struct Level {
  FrequencyOracle oracle;
  std::size_t parts;
  std::vector<std::uint32_t> part_of;  // per cell
};

using LevelValues = std::vector<std::vector<double>>;  // per level, per part

// The answer to Σ_x function[x]·(fraction of people in cell x): offset + Σ weight·estimate over levels and parts.
struct LevelWeights {
  double offset;
  LevelValues weights;
};

// Every person is asked about one level, drawn uniformly. The estimates of a level are those from the people that were
// asked about it, and answers are linear in all of them. A plain frequency oracle has one level.
struct LinearMechanism {
  std::vector<Level> levels;
  // Estimates of the cells, from those of the parts.
  std::function<std::vector<double>(const LevelValues&)> cells;
  // The same map as weights, for a function that is given per cell.
  std::function<LevelWeights(std::span<const double> function)> weights;

  // One run: estimates of the cells from reports of a population; `histogram` counts its people by cell. NaN if nobody
  // was asked about some level.
  std::vector<double> run(std::span<const std::uint64_t> histogram, std::mt19937_64& random) const;

  // n times the variance of the answer to `function` from n people drawn anew from a population, `parts` of whom are in
  // each cell, when as many are asked about each level as are expected to be. With w the weights, u the levels and v
  // the oracle's report_variances() of u·w, that is Σ over levels of (E[v] + Var[u·w])/u, over the population.
  double variance(std::span<const double> function, std::span<const double> parts) const;
  // The largest of these over all populations, to 0.01 %. Returns 0 instead if it is at most `ignore`.
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
