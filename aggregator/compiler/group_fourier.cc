#include "aggregator/compiler/group_fourier.h"

#include <complex>

namespace hearsay::compiler {
namespace {

using Eigen::Index;

// Booleans are frequent, so they get a loop of their own.
void forward_booleans(std::complex<double>* block, Index stride) {
  for (Index i = 0; i < stride; ++i) {
    const std::complex<double> first = block[i];
    const std::complex<double> second = block[i + stride];
    block[i] = first + second;
    block[i + stride] = first - second;
  }
}

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
    if (count > 1) lines_.emplace_back(count);  // the transform along an attribute of one value changes nothing
    size_ *= count;
  }
}

// Transforms along one attribute. A line is the values of the function at records that differ in this attribute alone.
// The places of a line are `stride` apart, and a block holds `stride` lines.
void GroupFourier::Run::forward_lines(const FourierTransform& along, std::complex<double>* block, Index stride) {
  line_.resize(along.size());
  result_.resize(along.size());
  for (Index i = 0; i < stride; ++i) {
    for (std::size_t x = 0; x < line_.size(); ++x) line_[x] = block[i + static_cast<Index>(x) * stride];
    along.forward(line_, result_, plans_);
    for (std::size_t x = 0; x < line_.size(); ++x) block[i + static_cast<Index>(x) * stride] = result_[x];
  }
}

void GroupFourier::Run::forward(Eigen::VectorXcd& function) {
  Index stride = 1;
  for (std::size_t i = fourier_.lines_.size(); i-- > 0;) {
    const FourierTransform& along = fourier_.lines_[i];
    const auto count = static_cast<Index>(along.size());
    for (Index at = 0; at < function.size(); at += count * stride) {
      if (count == 2) {
        forward_booleans(function.data() + at, stride);
      } else {
        forward_lines(along, function.data() + at, stride);
      }
    }
    stride *= count;
  }
}

// Up to the factor 1/size, the inverse transform is the conjugate of the transform of the conjugates.
void GroupFourier::Run::inverse(Eigen::VectorXcd& function) {
  function = function.conjugate();
  forward(function);
  function = function.conjugate() / static_cast<double>(function.size());
}

}  // namespace hearsay::compiler
