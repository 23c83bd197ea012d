// Finds the worst question of a class for a reference mechanism, by trying all questions.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/comparison/mechanism.h"
#include "examples/comparison/reference/domain.h"
#include "examples/comparison/reference/linear_mechanism.h"

namespace hearsay::examples {

// The domain, and for each question the list of its cells. A cell is listed as often as the question's value in that
// cell.
struct Cells {
  Domain domain;
  std::vector<std::vector<std::uint32_t>> of_question;
  std::vector<double> ranges;  // per question
  // If the class is all boxes: each attribute's number of values. The questions are then a sample of the boxes.
  std::vector<std::uint32_t> all_boxes;
};

// The question as a function of the cell.
std::vector<double> function_of(const Cells& cells, std::size_t question);

// Returns n times the variance of the class's worst question in its worst population, for people drawn anew, in units
// of the square of the question's range. If the class is all boxes, tries all boxes; returns NaN if that is too much
// work.
double worst_variance(const Cells& cells, const LinearMechanism& mechanism);

}  // namespace hearsay::examples
