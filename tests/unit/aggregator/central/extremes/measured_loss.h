// Measures the loss of the published release of the maximum, over all small tables.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "aggregator/central/extremes/published_extreme.h"
#include "aggregator/central/neighbours.h"

namespace hearsay::central {

struct MeasuredLoss {
  double alpha;  // |ln Pr[output|rows]/Pr[output|neighbour]|; infinite if only one of the two can give the output
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> neighbour;
  std::uint32_t output;
};

inline std::pair<double, std::size_t> largest_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const double ratio =
        a[i] == 0 || b[i] == 0 ? std::numeric_limits<double>::infinity() : std::abs(std::log(a[i] / b[i]));
    if (ratio > largest) {
      largest = ratio;
      at = i;
    }
  }
  return {largest, at};
}

// Moves to the next table with the same number of rows. Returns false after the last table.
inline bool advance(std::vector<std::uint32_t>& rows, std::uint32_t values) {
  for (std::uint32_t& row : rows) {
    if (++row < values) return true;
    row = 0;
  }
  return false;
}

// Returns the largest loss over all tables of `values` values and at most `most_rows` rows, in every order, and all
// their neighbours.
inline MeasuredLoss measure(const PublishedExtreme& mechanism, std::uint32_t values, Neighbours neighbours,
                            std::size_t most_rows) {
  MeasuredLoss worst{0, {}, {}, 0};
  const auto compare = [&](const std::vector<std::uint32_t>& rows, const std::vector<double>& rows_law,
                           const std::vector<std::uint32_t>& other) {
    const auto [alpha, output] = largest_ratio(rows_law, mechanism.law(other).value());
    if (alpha > worst.alpha) worst = {alpha, rows, other, static_cast<std::uint32_t>(output)};
  };
  for (std::size_t size = 1; size <= most_rows; ++size) {
    std::vector<std::uint32_t> rows(size);
    do {
      const std::vector<double> rows_law = mechanism.law(rows).value();
      for (std::size_t i = 0; i < size; ++i) {
        std::vector<std::uint32_t> other = rows;
        if (neighbours == Neighbours::kAddRemove) {
          other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
          compare(rows, rows_law, other);
          continue;
        }
        for (other[i] = rows[i] + 1; other[i] < values; ++other[i]) compare(rows, rows_law, other);
      }
    } while (advance(rows, values));
  }
  return worst;
}

}  // namespace hearsay::central
