#include "examples/comparison/reference/signed_hadamard.h"

#include <bit>
#include <cmath>

#include "examples/comparison/reference/domain.h"

namespace hearsay::examples {

SignedHadamard::SignedHadamard(double epsilon) : c_((std::exp(epsilon) + 1) / (std::exp(epsilon) - 1)) {}

std::vector<std::uint64_t> SignedHadamard::counts(std::span<const std::uint64_t> histogram,
                                                  std::mt19937_64& random) const {
  std::uniform_int_distribution<std::size_t> column(0, histogram.size() / 2 - 1);
  std::bernoulli_distribution lie((1 - 1 / c_) / 2);
  std::vector<std::uint64_t> reports(histogram.size());
  for (std::size_t cell = 0; cell < histogram.size(); ++cell) {
    for (std::uint64_t person = 0; person < histogram[cell]; ++person) {
      const std::size_t j = column(random);
      const bool minus = (std::popcount(cell / 2 & j) + static_cast<int>(cell % 2)) % 2 != 0;
      ++reports[2 * j + (minus != lie(random) ? 1 : 0)];
    }
  }
  return reports;
}

std::vector<double> SignedHadamard::estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const {
  std::vector<double> nodes(reports.size() / 2);
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    nodes[j] = static_cast<double>(reports[2 * j]) - static_cast<double>(reports[2 * j + 1]);
  }
  walsh_hadamard(nodes);
  std::vector<double> cells(reports.size());
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    cells[cell] = (cell % 2 == 0 ? 0.5 : -0.5) * c_ * nodes[cell / 2] / static_cast<double>(users);
  }
  return cells;
}

std::vector<double> SignedHadamard::report_variances(std::span<const double> weights) const {
  double squares = 0;
  for (std::size_t left = 0; left < weights.size(); left += 2) squares += weights[left] * weights[left];
  std::vector<double> variances;
  variances.reserve(weights.size());
  for (const double weight : weights) variances.push_back(c_ * c_ * squares - weight * weight);
  return variances;
}

}  // namespace hearsay::examples
