#include "aggregator/compiler/bit_cube.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace hearsay::compiler {
namespace {

constexpr int kMaxDescentSteps = 1000;

// The quadratic form that fill_padding() minimises, as a linear map of a function f on the cells: f ↦ Σ_T
// variance(T)·f_T. T runs through the sets of axes, except the empty set. f_T is the part of f with masks that differ
// from 0 on each axis of T and are 0 on all other axes. The map is divided by the largest variance, so its norm is at
// most 1. The unknowns are the values of f on the padding.
//
// Few steps are enough, for the following reason. To get f_T from f, average along each axis outside T, and subtract
// the average along each axis in T. On each axis these operations keep three kinds of functions apart. The first kind
// is constant on the values and constant on the padding. The second kind has mean zero on the values and is 0 on the
// padding. The third kind has mean zero on the padding and is 0 on the values. So f splits into parts, one for each set
// M of axes on which the part has mean zero. Let there be k axes, all with padding. A part has 2^(k-|M|) - 1 unknowns,
// so conjugate gradients end after Σ_M (2^(k-|M|) - 1) steps in exact arithmetic. Axes without padding may add steps.
class NoiseForm {
 public:
  NoiseForm(const BitCube& cube, std::span<const double> variance, Work& work)
      : factor_(cube.size()), at_(cube.size()), work_(work) {
    const double largest = *std::max_element(variance.begin() + 1, variance.end());
    const double scale = 1 / static_cast<double>(cube.size());  // the factor of the inverse transform
    for (std::size_t masks = 1; masks < cube.size(); ++masks) {
      factor_[masks] = variance[cube.support(masks)] / largest * scale;
    }
    for (std::size_t cell = 0; cell < cube.size(); ++cell) {
      if (cube.is_padding(cell)) padding_.push_back(static_cast<std::uint32_t>(cell));
    }
  }

  std::span<const std::uint32_t> padding() const { return padding_; }

  // Computes half the gradient of the form, on the padding. f is given on all cells.
  void gradient(std::span<const double> f, std::span<double> out) {
    std::copy(f.begin(), f.end(), at_.begin());
    apply(out);
  }
  // Computes half the gradient at a function that is 0 outside the padding. `of_padding` has the function's values on
  // the padding.
  void multiply(std::span<const double> of_padding, std::span<double> out) {
    std::fill(at_.begin(), at_.end(), 0);
    for (std::size_t i = 0; i < padding_.size(); ++i) at_[padding_[i]] = of_padding[i];
    apply(out);
  }

 private:
  void apply(std::span<double> out) {
    walsh_hadamard(at_, work_);
    for (std::size_t masks = 0; masks < at_.size(); ++masks) at_[masks] *= factor_[masks];
    walsh_hadamard(at_, work_);
    for (std::size_t i = 0; i < padding_.size(); ++i) out[i] = at_[padding_[i]];
  }

  std::vector<double> factor_;
  std::vector<double> at_;
  std::vector<std::uint32_t> padding_;
  Work& work_;
};

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Runs conjugate gradients, beginning at f. Returns false if the norm of the residual was below the tolerance before
// the first step.
bool descend(NoiseForm& form, double tolerance, std::span<double> f) {
  const std::size_t unknowns = form.padding().size();
  std::vector<double> residual(unknowns);
  std::vector<double> product(unknowns);
  form.gradient(f, residual);
  for (double& r : residual) r = -r;
  double norm = dot(residual, residual);
  if (norm <= tolerance * tolerance) return false;
  std::vector<double> direction = residual;
  for (int step = 0; step < kMaxDescentSteps && norm > tolerance * tolerance; ++step) {
    form.multiply(direction, product);
    const double curvature = dot(direction, product);
    if (!(curvature > 0)) break;  // the variances are so unequal that rounding makes the form non-positive
    const double length = norm / curvature;
    for (std::size_t i = 0; i < unknowns; ++i) {
      f[form.padding()[i]] += length * direction[i];
      residual[i] -= length * product[i];
    }
    const double next = dot(residual, residual);
    for (std::size_t i = 0; i < unknowns; ++i) direction[i] = residual[i] + next / norm * direction[i];
    norm = next;
  }
  return true;
}

}  // namespace

BitCube::BitCube(const Schema& schema, std::span<const std::uint32_t> attributes) {
  std::uint32_t shift = 0;
  for (std::size_t i = attributes.size(); i-- > 0;) {
    const Attribute& attribute = schema[attributes[i]];
    const std::uint32_t bits = bits_of(attribute);
    axes_.push_back({attributes[i], attribute.size(), shift, (std::uint32_t{1} << bits) - 1});
    shift += bits;
  }
  std::reverse(axes_.begin(), axes_.end());
  size_ = std::size_t{1} << shift;
}

bool BitCube::is_padding(std::size_t cell) const {
  return std::any_of(axes_.begin(), axes_.end(), [&](const Axis& axis) { return pattern(axis, cell) >= axis.values; });
}

bool BitCube::has_padding() const {
  return std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.values <= axis.ones; });
}

std::uint32_t BitCube::support(std::size_t masks) const {
  std::uint32_t support = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (pattern(axes_[i], masks) != 0) support |= std::uint32_t{1} << i;
  }
  return support;
}

std::vector<std::uint32_t> BitCube::attributes(std::uint32_t set) const {
  std::vector<std::uint32_t> attributes;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if ((set >> i & 1U) != 0) attributes.push_back(axes_[i].attribute);
  }
  return attributes;
}

std::size_t BitCube::coordinates(std::uint32_t set) const {
  std::size_t product = 1;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if ((set >> i & 1U) != 0) product *= axes_[i].ones;
  }
  return product;
}

// The mask of the last axis changes fastest. The first mask on each axis is 1.
std::size_t BitCube::masks(std::uint32_t set, std::size_t at) const {
  std::size_t masks = 0;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    if ((set >> i & 1U) == 0) continue;
    masks |= (at % axes_[i].ones + 1) << axes_[i].shift;
    at /= axes_[i].ones;
  }
  return masks;
}

// Rounding in descend() drives the updated residual away from the true residual. So a second and a third descent start
// where the descent before ended.
void BitCube::fill_padding(std::span<const double> variance, std::span<double> f, Work& work) const {
  constexpr double kPrecision = 1e-15;
  constexpr int kRuns = 3;
  if (!has_padding()) return;
  NoiseForm form(*this, variance, work);
  for (const std::uint32_t cell : form.padding()) f[cell] = 0;
  const double mean = std::accumulate(f.begin(), f.end(), 0.0) / static_cast<double>(size_ - form.padding().size());
  for (const std::uint32_t cell : form.padding()) f[cell] = mean;
  const double tolerance = kPrecision * std::sqrt(dot(f, f));
  for (int run = 0; run < kRuns && descend(form, tolerance, f); ++run) {
  }
}

// Let k axes have padding. Counts Σ_M (2^(k-|M|) - 1) = 3^k - 2^k steps of two transforms for a descent (see
// NoiseForm), and a few more transforms.
Cost BitCube::cost_of_filling() const {
  std::uint64_t with = 1;
  std::uint64_t without = 1;
  for (const Axis& axis : axes_) {
    if (axis.values > axis.ones) continue;
    with = saturated_product(with, 3);
    without *= 2;
  }
  constexpr std::uint64_t kOthers = 3;
  const std::uint64_t descent = std::min<std::uint64_t>(with - without, kMaxDescentSteps) + kOthers;
  return {saturated_product(2 * descent, steps_of_transform() + 4 * size_), 6 * sizeof(double) * size_};
}

std::uint64_t BitCube::steps_of_transform() const {
  return static_cast<std::uint64_t>(std::bit_width(size_)) * size_ / 2;
}

void walsh_hadamard(std::span<double> f) {
  Work unasked({}, {UINT64_MAX, UINT64_MAX});
  walsh_hadamard(f, unasked);
}

void walsh_hadamard(std::span<double> f, Work& work) {
  for (std::size_t half = 1; half < f.size(); half *= 2) {
    work.spend(f.size() / 2);
    for (std::size_t block = 0; block < f.size(); block += 2 * half) {
      double* low = f.data() + block;
      double* high = low + half;
      for (std::size_t i = 0; i < half; ++i) {
        const double a = low[i];
        const double b = high[i];
        low[i] = a + b;
        high[i] = a - b;
      }
    }
  }
}

}  // namespace hearsay::compiler
