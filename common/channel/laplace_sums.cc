#include "common/channel/laplace_sums.h"

#include <algorithm>
#include <limits>

namespace hearsay {
namespace {

constexpr std::size_t kBlockBytes = 4'096;
constexpr std::size_t kLeastRows = 8;

}  // namespace

// A block's sums stay within block_rows·bound < 2^31. Of r <= most_rows_ rows, the squares stay within r·bound² < 2^64
// and the sums within r·bound <= r·bound², which is below 2^63 unless bound is 1; then r is capped at 2^62.
LaplaceSums::LaplaceSums(const LaplaceKernels& kernels, std::size_t columns, std::uint32_t bound, LaplaceTally& tally)
    : kernels_(kernels), tally_(tally), bound_(std::max(bound, 1U)), sums_(columns), squares_(columns) {
  constexpr std::uint64_t kMostSums = (std::uint64_t{1} << 31U) - 1;
  most_rows_ =
      std::min(std::numeric_limits<std::uint64_t>::max() / (std::uint64_t{bound_} * bound_), std::uint64_t{1} << 62U);
  const std::uint64_t fast = std::max(kLeastRows, kBlockBytes / (columns * sizeof(std::int32_t) + 1));
  block_rows_ = static_cast<std::size_t>(std::min({fast, kMostSums / bound_, most_rows_}));
}

void LaplaceSums::add(const std::int32_t* first, std::size_t rows, std::size_t pitch) {
  if (rows_ + rows > most_rows_) flush();
  kernels_.add({first, rows, pitch, sums_.size()}, bound_, sums_.data(), squares_.data());
  rows_ += rows;
}

void LaplaceSums::flush() {
  std::size_t j = 0;
  for (std::size_t c = 0; c < sums_.size(); ++c) {
    tally_.sum[j] += sums_[c];
    tally_.sum_of_squares[j] += squares_[c];
    if (++j == tally_.sum.size()) j = 0;
  }
  std::fill(sums_.begin(), sums_.end(), 0);
  std::fill(squares_.begin(), squares_.end(), 0);
  rows_ = 0;
}

}  // namespace hearsay
