// What a curator answers beside counts of queries: sums, means, extremes, parities, halfspaces, networks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// One question asked alone, at the full ε, under replace-one with n public (a network: one edge changed).
struct OtherQuestion {
  std::string question;
  std::string mechanism;  // the curator's
  std::string unit;       // of both errors
  double rmse;            // measured
  // What reports could reach at best, where they can answer at all: randomized response to this question alone, which
  // is off by range·c/(2√n), c = (e^ε+1)/(e^ε-1).
  std::optional<double> local;
};

// Runs each central mechanism so many times on made-up people: a value of 0 to 99, eight bits of which the last is a
// parity of the others but for a tenth of the people, and a point in the plane; and a network of 40 vertices. Errors:
// those of the mechanisms (for extreme ε). Throws EntropyError.
Result<std::vector<OtherQuestion>> other_questions(const Epsilon& epsilon, std::size_t users, std::size_t runs,
                                                   const Randomness& randomness);

}  // namespace hearsay::examples
