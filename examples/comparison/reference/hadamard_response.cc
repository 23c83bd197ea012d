#include "examples/comparison/reference/hadamard_response.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "examples/comparison/reference/domain.h"

namespace hearsay::examples {
namespace {

double average_variance(double blocks, double ratio) {
  return (2 * blocks + ratio - 1) * (2 * blocks + ratio - 1) / (blocks * (ratio - 1) * (ratio - 1));
}

bool is_plus(std::size_t row, std::size_t column) { return std::popcount(row & column) % 2 == 0; }

}  // namespace

HadamardResponse HadamardResponse::create(std::size_t cells, double epsilon) {
  HadamardResponse response;
  response.cells_ = cells;
  response.ratio_ = response.client_ratio_ = std::exp(epsilon);
  // The paper's B is the least power of two that is at least `most`.
  const double most = std::min(response.ratio_, 2.0 * static_cast<double>(cells)) / 2;
  while (static_cast<double>(response.blocks_) < most &&
         average_variance(2.0 * static_cast<double>(response.blocks_), response.ratio_) <
             average_variance(static_cast<double>(response.blocks_), response.ratio_)) {
    response.blocks_ *= 2;
  }
  const std::size_t cells_in_block = (cells + response.blocks_ - 1) / response.blocks_;
  response.block_size_ = std::bit_ceil(cells_in_block + 1);
  return response;
}

HadamardResponse HadamardResponse::with_client_epsilon(double epsilon) const {
  HadamardResponse response = *this;
  response.client_ratio_ = std::exp(epsilon);
  return response;
}

double HadamardResponse::probability(std::size_t cell, std::size_t y) const {
  const auto s = static_cast<double>(block_size_) / 2;
  const double denominator = s * client_ratio_ + static_cast<double>(outputs()) - s;
  const bool inside = y / block_size_ == block_of(cell) && is_plus(row_of(cell), y % block_size_);
  return (inside ? client_ratio_ : 1) / denominator;
}

std::size_t HadamardResponse::draw(std::size_t cell, std::mt19937_64& random) const {
  const std::size_t s = block_size_ / 2;
  const double inside = static_cast<double>(s) * client_ratio_;
  const bool plus = std::bernoulli_distribution(inside / (inside + static_cast<double>(outputs() - s)))(random);
  // The outputs outside C(x) are in this order: the s columns of the block of x with sign -1, then the other blocks.
  const std::size_t pick = std::uniform_int_distribution<std::size_t>(0, plus ? s - 1 : outputs() - s - 1)(random);
  const std::size_t block = block_of(cell);
  if (pick >= s) {
    const std::size_t other = (pick - s) / block_size_;
    return (other < block ? other : other + 1) * block_size_ + (pick - s) % block_size_;
  }
  // Two columns that differ only in one bit form a pair. This bit is the lowest 1 bit of the row's number. One column
  // of each pair has the sign +1, the other has -1.
  const std::size_t row = row_of(cell);
  const std::size_t bit = row & (~row + 1);
  std::size_t column = (pick & (bit - 1)) | ((pick & ~(bit - 1)) << 1U);
  if (is_plus(row, column) != plus) column |= bit;
  return block * block_size_ + column;
}

std::vector<std::uint64_t> HadamardResponse::counts(std::span<const std::uint64_t> histogram,
                                                    std::mt19937_64& random) const {
  std::vector<std::uint64_t> reports(outputs());
  for (std::size_t cell = 0; cell < histogram.size(); ++cell) {
    for (std::uint64_t person = 0; person < histogram[cell]; ++person) ++reports[draw(cell, random)];
  }
  return reports;
}

std::vector<double> HadamardResponse::estimate(std::span<const std::uint64_t> reports, std::uint64_t users) const {
  std::vector<double> transform(reports.begin(), reports.end());
  for (std::size_t block = 0; block < blocks_; ++block) {
    walsh_hadamard(std::span(transform).subspan(block * block_size_, block_size_));
  }
  const double alpha = (ratio_ - 1 + 2.0 * static_cast<double>(blocks_)) / (ratio_ - 1);  // D/s = e^ε - 1 + 2B
  std::vector<double> estimates(cells_);
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    estimates[cell] = alpha * transform[block_of(cell) * block_size_ + row_of(cell)] / static_cast<double>(users);
  }
  return estimates;
}

std::vector<double> HadamardResponse::report_variances(std::span<const double> weights) const {
  const double alpha = (ratio_ - 1 + 2.0 * static_cast<double>(blocks_)) / (ratio_ - 1);
  const double denominator = static_cast<double>(block_size_) / 2 * (ratio_ - 1 + 2.0 * static_cast<double>(blocks_));
  std::vector<double> squares(outputs());
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    squares[block_of(cell) * block_size_ + row_of(cell)] = weights[cell];
  }
  double total = 0;
  for (std::size_t block = 0; block < blocks_; ++block) {
    const auto part = std::span(squares).subspan(block * block_size_, block_size_);
    walsh_hadamard(part);
    for (double& w : part) w *= alpha * alpha * w;
    walsh_hadamard(part);  // part[r] = Σ_y H[r][y]·w(y)²; part[0] is the sum over the block
    total += part[0];
  }
  std::vector<double> variances(cells_);
  for (std::size_t x = 0; x < cells_; ++x) {
    const double in_block = squares[block_of(x) * block_size_];
    const double in_set = (in_block + squares[block_of(x) * block_size_ + row_of(x)]) / 2;
    variances[x] = (total + (ratio_ - 1) * in_set) / denominator - weights[x] * weights[x];
  }
  return variances;
}

}  // namespace hearsay::examples
