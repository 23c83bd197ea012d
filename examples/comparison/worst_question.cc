#include "examples/comparison/worst_question.h"

#include <algorithm>
#include <cmath>

#include "examples/comparison/boxes.h"

namespace hearsay::examples {
namespace {

constexpr std::uint64_t kMaxBoxCells = std::uint64_t{1} << 30U;

void fill(const std::vector<Boxes::Interval>& box, const std::vector<std::uint32_t>& sizes,
          std::vector<double>& function) {
  for (std::size_t cell = 0; cell < function.size(); ++cell) {
    bool inside = true;
    std::size_t rest = cell;
    for (std::size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) {
      const std::size_t value = rest % sizes[i];
      inside = inside && value >= box[i].first && value <= box[i].second;
    }
    function[cell] = inside ? 1 : 0;
  }
}

}  // namespace

std::vector<double> function_of(const Cells& cells, std::size_t question) {
  std::vector<double> function(cells.domain.cells());
  for (const std::uint32_t cell : cells.of_question[question]) ++function[cell];
  return function;
}

double worst_variance(const Cells& cells, const LinearMechanism& mechanism) {
  double worst = 0;
  if (cells.all_boxes.empty()) {
    for (std::size_t i = 0; i < cells.of_question.size(); ++i) {
      const double square = cells.ranges[i] * cells.ranges[i];
      worst = std::max(worst, mechanism.worst_variance(function_of(cells, i), worst * square) / square);
    }
    return worst;
  }
  const Boxes boxes(cells.all_boxes);
  if (boxes.count() * cells.domain.cells() > kMaxBoxCells) return std::nan("");
  std::vector<double> function(cells.domain.cells());
  for (std::uint64_t i = 0; i < boxes.count(); ++i) {
    fill(boxes[i], cells.all_boxes, function);
    worst = std::max(worst, mechanism.worst_variance(function, worst));
  }
  return worst;
}

}  // namespace hearsay::examples
