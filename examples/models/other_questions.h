// Questions to a trusted curator that are no counts: sums, means, extremes, parities, halfspaces, networks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "examples/comparison/mechanism.h"

namespace hearsay::examples {

// The errors for one question that is asked alone, at the full ε. Neighbouring tables differ in one replaced record,
// and n is public. Neighbouring networks differ in one edge.
struct OtherQuestion {
  std::string question;
  std::string mechanism;  // the curator's mechanism
  std::string unit;       // unit of both errors
  double rmse;            // measured error of the curator's mechanism
  // The error of local reports about this question alone, if reports can answer the question: randomized response has
  // the error range·c/(2√n), with c = (e^ε+1)/(e^ε-1).
  std::optional<double> local;
};

// Runs each central mechanism `runs` times on made-up people and on a network of 40 vertices. A person has a value from
// 0 to 99, eight bits, and a point in the plane. The last bit is a parity of other bits, except for a tenth of the
// people. Errors: those of the mechanisms (for extreme ε). Throws EntropyError.
Result<std::vector<OtherQuestion>> other_questions(const Epsilon& epsilon, std::size_t users, std::size_t runs,
                                                   const Randomness& randomness);

}  // namespace hearsay::examples
