// Finds the worst question of a class for a reference mechanism, by trying all questions.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/comparison/mechanism.h"
#include "examples/comparison/reference/domain.h"
#include "examples/comparison/reference/linear_mechanism.h"

namespace hearsay::examples {

// The domain, and for each question a list of cells. The list holds each cell as many times as the question's value in
// this cell.
struct Cells {
  Domain domain;
  std::vector<std::vector<std::uint32_t>> of_question;
  std::vector<double> ranges;  // Question::range() of each question
  // If the class is all boxes: each attribute's number of values. The questions are then a sample of the boxes.
  std::vector<std::uint32_t> all_boxes;
};

// Returns the question's value in each cell.
std::vector<double> function_of(const Cells& cells, std::size_t question);

// Returns the largest variance of one report over all questions of the class and all populations, for people drawn at
// random. The variance is divided by the square of the question's range. If the class is all boxes, tries all boxes,
// but returns NaN if boxes times cells exceed 2^30.
double worst_variance(const Cells& cells, const LinearMechanism& mechanism);

}  // namespace hearsay::examples
