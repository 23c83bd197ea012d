// Computes the Fourier transform over the records of a universe: one transform along each attribute.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <vector>

#include "aggregator/compiler/fourier.h"

namespace hearsay::compiler {

// Returns the cost of one transform, in steps of Work. `values` holds the number of values of each attribute.
std::uint64_t group_fourier_steps(const std::vector<std::uint32_t>& values);

// Transforms functions of records. A function has one element for each record, the last attribute changing fastest. If
// the entry of a matrix for records x and z depends on x - z alone, the transform turns the matrix into a
// multiplication by a function of the frequency. The difference is taken as in common/channel/shift_group.h. Immutable.
class GroupFourier {
 public:
  // `values` holds the number of values of each attribute, at least 1.
  explicit GroupFourier(const std::vector<std::uint32_t>& values);

  Eigen::Index size() const { return size_; }  // number of records

  // Transforms functions, one after the other. Use one Run for many functions, since making its tables takes time.
  // Thread-safety: one thread at a time.
  class Run {
   public:
    explicit Run(const GroupFourier& fourier) : fourier_(fourier) {}
    // forward() and inverse() transform in place. `function` has size() elements.
    void forward(Eigen::VectorXcd& function);
    void inverse(Eigen::VectorXcd& function);

   private:
    void forward_lines(const FourierTransform& along, std::complex<double>* block, Eigen::Index stride);

    const GroupFourier& fourier_;
    Eigen::FFT<double> plans_;
    Complexes line_;
    Complexes result_;
  };

 private:
  std::vector<FourierTransform> lines_;  // one for each attribute of two or more values
  Eigen::Index size_ = 1;
};

}  // namespace hearsay::compiler
