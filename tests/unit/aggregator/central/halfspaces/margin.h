#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace hearsay::central {

// The range [low, high] of right answers for the direction y with margin γ. A row may count or not if its cosine with
// y is at most γ in absolute value (Blum, Ligett, Roth 2008, Definition 5.3, for halfspaces). The error of an answer
// is its distance to this range.
struct MarginRange {
  double low;
  double high;
  double distance(double answer) const {
    if (answer < low) return low - answer;
    return std::max(answer - high, 0.0);
  }
};

// `rows` has the coordinates of all rows, row by row. Each row has as many coordinates as y, and y is not 0.
inline MarginRange margin_range(std::span<const double> rows, std::span<const double> y, double gamma) {
  double low = 0;
  double high = 0;
  for (std::size_t row = 0; row < rows.size(); row += y.size()) {
    double largest_x = 0;
    double largest_y = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      largest_x = std::max(largest_x, std::abs(rows[row + i]));
      largest_y = std::max(largest_y, std::abs(y[i]));
    }
    double product = 0;
    double xx = 0;
    double yy = 0;
    for (std::size_t i = 0; i < y.size() && largest_x > 0; ++i) {
      const double a = rows[row + i] / largest_x;
      const double b = y[i] / largest_y;
      product += a * b;
      xx += a * a;
      yy += b * b;
    }
    const double cosine = largest_x > 0 ? product / std::sqrt(xx * yy) : 0;
    low += cosine > gamma ? 1 : 0;
    high += cosine >= -gamma ? 1 : 0;
  }
  const double n = static_cast<double>(rows.size()) / static_cast<double>(y.size());
  return MarginRange{low / n, high / n};
}

}  // namespace hearsay::central
