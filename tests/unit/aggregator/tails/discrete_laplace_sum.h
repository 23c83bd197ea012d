// The exact law of a sum of discrete Laplace variables, by convolution.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace hearsay::tests {

// A law on the integers from -reach to reach. Element y + reach is Pr[y].
class IntegerLaw {
 public:
  static IntegerLaw zero() { return IntegerLaw({1.0}); }

  // Returns the law of weight·Y, where Pr[Y = y] is in proportion to exp(-|y|/scale). `weight` is positive. Leaves out
  // values of probability below about 1e-25.
  static IntegerLaw laplace(double scale, int weight) {
    const int largest = static_cast<int>(std::ceil(58 * scale)) + 1;
    std::vector<double> p(static_cast<std::size_t>(2 * largest * weight + 1));
    const double center = std::tanh(0.5 / scale);
    for (int y = -largest; y <= largest; ++y) {
      p[static_cast<std::size_t>((y + largest) * weight)] = center * std::exp(-std::abs(y) / scale);
    }
    return IntegerLaw(std::move(p));
  }

  IntegerLaw plus(const IntegerLaw& other) const {
    std::vector<double> p(p_.size() + other.p_.size() - 1);
    for (std::size_t i = 0; i < p_.size(); ++i) {
      for (std::size_t j = 0; j < other.p_.size(); ++j) p[i + j] += p_[i] * other.p_[j];
    }
    return IntegerLaw(std::move(p));
  }

  double upper_tail(double y) const {
    double sum = 0;
    for (std::size_t i = p_.size(); i-- > 0 && static_cast<double>(i) - reach() >= y;) sum += p_[i];
    return sum;
  }

  double reach() const { return static_cast<double>(p_.size() / 2); }

 private:
  explicit IntegerLaw(std::vector<double> p) : p_(std::move(p)) {}
  std::vector<double> p_;
};

}  // namespace hearsay::tests
