#include "examples/comparison/reference/unary_encoding.h"

#include <cmath>
#include <numeric>

namespace hearsay::examples {

UnaryEncoding UnaryEncoding::symmetric(double epsilon) {
  const double p = 1 / (1 + std::exp(-epsilon / 2));
  return {p, 1 - p};
}

UnaryEncoding UnaryEncoding::optimised(double epsilon) { return {0.5, 1 / (std::exp(epsilon) + 1)}; }

std::vector<std::uint8_t> UnaryEncoding::randomize(std::size_t cell, std::size_t cells, std::mt19937_64& random) const {
  std::bernoulli_distribution own(p);
  std::bernoulli_distribution other(q);
  std::vector<std::uint8_t> bits(cells);
  for (std::size_t c = 0; c < cells; ++c) bits[c] = (c == cell ? own(random) : other(random)) ? 1 : 0;
  return bits;
}

std::vector<std::uint64_t> UnaryEncoding::counts(std::span<const std::uint64_t> histogram,
                                                 std::mt19937_64& random) const {
  using Binomial = std::binomial_distribution<std::uint64_t>;
  const std::uint64_t users = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  Binomial empty_cell(users, q);  // shared by all empty cells, because making a distribution is slower than drawing
  std::vector<std::uint64_t> ones;
  ones.reserve(histogram.size());
  for (const std::uint64_t people : histogram) {
    ones.push_back(people == 0 ? empty_cell(random)
                               : Binomial(people, p)(random) + Binomial(users - people, q)(random));
  }
  return ones;
}

std::vector<double> UnaryEncoding::estimate(std::span<const std::uint64_t> ones, std::uint64_t users) const {
  std::vector<double> estimates;
  estimates.reserve(ones.size());
  for (const std::uint64_t count : ones) {
    estimates.push_back((static_cast<double>(count) / static_cast<double>(users) - q) / (p - q));
  }
  return estimates;
}

std::vector<double> UnaryEncoding::report_variances(std::span<const double> weights) const {
  double others = 0;
  for (const double weight : weights) others += weight * weight * q * (1 - q);
  std::vector<double> variances;
  variances.reserve(weights.size());
  for (const double weight : weights) {
    variances.push_back((others + weight * weight * (p * (1 - p) - q * (1 - q))) / ((p - q) * (p - q)));
  }
  return variances;
}

}  // namespace hearsay::examples
