#include "examples/comparison/reference/kary_response.h"

#include <cmath>

namespace hearsay::examples {

KaryResponse KaryResponse::create(std::size_t cells, double epsilon) {
  const double denominator = std::exp(epsilon) + static_cast<double>(cells) - 1;
  return {std::exp(epsilon) / denominator, 1 / denominator};
}

std::vector<std::uint64_t> KaryResponse::counts(std::span<const std::uint64_t> histogram,
                                                std::mt19937_64& random) const {
  std::bernoulli_distribution own(p);
  std::uniform_int_distribution<std::size_t> other(0, histogram.size() - 2);
  std::vector<std::uint64_t> reports(histogram.size());
  for (std::size_t cell = 0; cell < histogram.size(); ++cell) {
    for (std::uint64_t person = 0; person < histogram[cell]; ++person) {
      if (own(random)) {
        ++reports[cell];
      } else {
        const std::size_t drawn = other(random);
        ++reports[drawn < cell ? drawn : drawn + 1];
      }
    }
  }
  return reports;
}

std::vector<double> KaryResponse::estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const {
  std::vector<double> estimates;
  estimates.reserve(reports.size());
  for (const std::uint64_t count : reports) {
    estimates.push_back((static_cast<double>(count) / static_cast<double>(users) - q) / (p - q));
  }
  return estimates;
}

std::vector<double> KaryResponse::report_variances(std::span<const double> weights) const {
  double sum = 0;
  double sum_of_squares = 0;
  for (const double weight : weights) {
    sum += weight;
    sum_of_squares += weight * weight;
  }
  std::vector<double> variances;
  variances.reserve(weights.size());
  for (const double weight : weights) {
    const double mean = (p - q) * weight + q * sum;
    variances.push_back(((p - q) * weight * weight + q * sum_of_squares - mean * mean) / ((p - q) * (p - q)));
  }
  return variances;
}

}  // namespace hearsay::examples
