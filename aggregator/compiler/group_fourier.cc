#include "aggregator/compiler/group_fourier.h"

#include <complex>

namespace hearsay::compiler {
namespace {

using Eigen::Index;

// Most attributes of a universe are booleans, so these get a loop of their own.
void forward_booleans(std::complex<double>* block, Index stride) {
  for (Index i = 0; i < stride; ++i) {
    const std::complex<double> first = block[i];
    const std::complex<double> second = block[i + stride];
    block[i] = first + second;
    block[i + stride] = first - second;
  }
}

// Transforms the lines along one attribute. The places of a line are `stride` apart, and a block holds `stride` lines.
class Lines {
 public:
  Lines(const FourierTransform& transform, Eigen::FFT<double>& plans)
      : transform_(transform), plans_(plans), line_(transform.size()), result_(transform.size()) {}

  void forward(std::complex<double>* block, Index stride) {
    for (Index i = 0; i < stride; ++i) {
      for (std::size_t x = 0; x < line_.size(); ++x) line_[x] = block[i + static_cast<Index>(x) * stride];
      transform_.forward(line_, result_, plans_);
      for (std::size_t x = 0; x < line_.size(); ++x) block[i + static_cast<Index>(x) * stride] = result_[x];
    }
  }

 private:
  const FourierTransform& transform_;
  Eigen::FFT<double>& plans_;
  Complexes line_;
  Complexes result_;
};

}  // namespace

std::uint64_t group_fourier_steps(const std::vector<std::uint32_t>& values) {
  std::uint64_t size = 1;
  for (const std::uint32_t count : values) size *= count;
  std::uint64_t steps = 0;
  for (const std::uint32_t count : values) steps += size / count * fourier_steps(count);
  return steps;
}

GroupFourier::GroupFourier(const std::vector<std::uint32_t>& values) {
  for (const std::uint32_t count : values) {
    lines_.emplace_back(count);
    size_ *= count;
  }
}

void GroupFourier::forward(Eigen::MatrixXcd& columns) const {
  Eigen::FFT<double> plans;
  Index stride = 1;
  for (std::size_t i = lines_.size(); i-- > 0;) {
    const auto count = static_cast<Index>(lines_[i].size());
    Lines lines(lines_[i], plans);
    // A column is a whole number of blocks.
    for (Index at = 0; at < columns.size(); at += count * stride) {
      std::complex<double>* block = columns.data() + at;
      if (count == 2) {
        forward_booleans(block, stride);
      } else if (count > 2) {
        lines.forward(block, stride);
      }
    }
    stride *= count;
  }
}

// The inverse transform is the conjugate of the transform of the conjugates.
void GroupFourier::inverse(Eigen::MatrixXcd& columns) const {
  columns = columns.conjugate();
  forward(columns);
  columns = columns.conjugate() / static_cast<double>(size_);
}

}  // namespace hearsay::compiler
