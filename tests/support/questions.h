// Short ways to write specifications of questions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hearsay/mechanism.h"

namespace hearsay::tests {

inline QuestionSpec parities(std::uint32_t bits) { return ParityQuestions{bits}; }

// Weights that are left out are 1.
inline QuestionSpec circle(std::uint32_t places, std::uint32_t bits, std::vector<std::uint32_t> multipliers,
                           std::vector<std::uint32_t> weights = {}) {
  if (weights.empty()) weights.assign(multipliers.size(), 1);
  return CircleQuestions{places, bits, std::move(multipliers), std::move(weights)};
}

inline QuestionSpec levels(std::vector<std::vector<std::uint32_t>> sets, std::vector<std::uint32_t> weights = {}) {
  if (weights.empty()) weights.assign(sets.size(), 1);
  return LevelQuestions{std::move(sets), std::move(weights)};
}

inline QuestionSpec hash(std::uint32_t answers) { return HashQuestions{answers}; }

}  // namespace hearsay::tests
