// Sums of many rows of coordinates, on their way into a tally.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/channel/laplace_kernels.h"
#include "common/channel/tally.h"

namespace hearsay {

// Adds blocks of rows up in 64-bit integers and now and then adds these to a tally's wider ones. Column c of a row
// belongs to coordinate c mod (number of coordinates), so a row may hold several reports, or end in zeros.
class LaplaceSums {
 public:
  // For rows of `columns` integers y, |y| <= bound < 2^31, that go into `tally` (which outlives this).
  LaplaceSums(const LaplaceKernels& kernels, std::size_t columns, std::uint32_t bound, LaplaceTally& tally);

  // The most rows of one block: no more than what the kernels' 32-bit sums hold and the first cache does.
  std::size_t block_rows() const { return block_rows_; }
  // At most block_rows() rows; counts no reports.
  void add(const std::int32_t* first, std::size_t rows, std::size_t pitch);
  // What is not in the tally yet.
  void flush();

 private:
  const LaplaceKernels& kernels_;
  LaplaceTally& tally_;
  std::uint32_t bound_;
  std::uint64_t most_rows_;  // whose squares fit 64 bits
  std::uint64_t rows_ = 0;   // in sums_ and squares_
  std::size_t block_rows_;
  std::vector<std::int64_t> sums_;
  std::vector<std::uint64_t> squares_;
};

}  // namespace hearsay
