#include "examples/comparison/reference/subset_selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace hearsay::examples {

SubsetSelection::SubsetSelection(std::size_t cells, std::size_t chosen, double epsilon) : chosen_(chosen) {
  const auto k = static_cast<double>(cells);
  const auto m = static_cast<double>(chosen);
  p_ = m * std::exp(epsilon) / (m * std::exp(epsilon) + k - m);
  q_ = (m - p_) / (k - 1);
}

SubsetSelection SubsetSelection::create(std::size_t cells, double epsilon) {
  const auto fewer = static_cast<std::size_t>(static_cast<double>(cells) / (std::exp(epsilon) + 1));
  const SubsetSelection more(cells, fewer + 1, epsilon);
  if (fewer == 0) return more;
  const SubsetSelection less(cells, fewer, epsilon);
  return less.empty_cell_variance() < more.empty_cell_variance() ? less : more;
}

std::vector<std::uint64_t> SubsetSelection::counts(std::span<const std::uint64_t> histogram,
                                                   std::mt19937_64& random) const {
  std::bernoulli_distribution own(p_);
  std::vector<std::size_t> others(histogram.size());  // the person's own cell first, then all others
  std::iota(others.begin(), others.end(), std::size_t{0});
  std::vector<std::uint64_t> reports(histogram.size());
  for (std::size_t cell = 0; cell < histogram.size(); ++cell) {
    if (histogram[cell] == 0) continue;
    std::swap(others[0], *std::find(others.begin(), others.end(), cell));
    for (std::uint64_t person = 0; person < histogram[cell]; ++person) {
      const bool holds = own(random);
      if (holds) ++reports[cell];
      for (std::size_t i = 1; i <= chosen_ - (holds ? 1 : 0); ++i) {
        std::swap(others[i], others[std::uniform_int_distribution<std::size_t>(i, others.size() - 1)(random)]);
        ++reports[others[i]];
      }
    }
  }
  return reports;
}

std::vector<double> SubsetSelection::estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const {
  std::vector<double> estimates;
  estimates.reserve(reports.size());
  for (const std::uint64_t count : reports) {
    estimates.push_back((static_cast<double>(count) / static_cast<double>(users) - q_) / (p_ - q_));
  }
  return estimates;
}

std::vector<double> SubsetSelection::report_variances(std::span<const double> weights) const {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double squares = std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
  const auto others = static_cast<double>(weights.size() - 1);
  const auto drawn = [others](double m) { return others > 1 ? m * (1 - m / others) / (others - 1) : 0; };
  const auto m = static_cast<double>(chosen_);
  const double of_spread = p_ * drawn(m - 1) + (1 - p_) * drawn(m);
  std::vector<double> variances;
  variances.reserve(weights.size());
  for (const double weight : weights) {
    const double mean = (sum - weight) / others;
    const double spread = squares - weight * weight - others * mean * mean;
    const double distance = weight - mean;
    variances.push_back((of_spread * spread + p_ * (1 - p_) * distance * distance) / ((p_ - q_) * (p_ - q_)));
  }
  return variances;
}

}  // namespace hearsay::examples
