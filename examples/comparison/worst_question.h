// The worst question of a class for a reference mechanism, by trying all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/comparison/mechanism.h"
#include "examples/comparison/reference/domain.h"
#include "examples/comparison/reference/linear_mechanism.h"

namespace hearsay::examples {

// The domain with the cells of each question: a cell is there as often as the question's value in it.
struct Cells {
  Domain domain;
  std::vector<std::vector<std::uint32_t>> of_question;
  std::vector<double> ranges;  // per question
  // Per attribute its number of values, if the class is that of all boxes; the questions are then some of them.
  std::vector<std::uint32_t> all_boxes;
};

// The question as a function of the cell.
std::vector<double> function_of(const Cells& cells, std::size_t question);

// n times the variance for the worst question of the class over the worst population, people drawn anew, in units of
// the square of the question's range. Of boxes all are tried, or none if that is too much work: NaN then.
double worst_variance(const Cells& cells, const LinearMechanism& mechanism);

}  // namespace hearsay::examples
