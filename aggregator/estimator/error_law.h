// The law of an estimate's error, to tell how often the normal interval covers when reports are few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::estimator {

// The error of an estimate as a sum of independent parts, each with its mean taken off.
class ErrorLaw {
 public:
  void add_gaussian(double variance) { gaussian_ += variance; }

  // The sum of `reports` times weight·Y, Y discrete Laplace: Pr[Y = y] ∝ exp(-|y|/scale).
  void add_laplace(double weight, double scale, std::uint64_t reports) { laplace_.push_back({weight, scale, reports}); }

  // Reports of `sampled` that were asked the same: answer k, given counts[k] times, moves the estimate by phi[k]; it is
  // the truth with probability gamma and uniform among all answers otherwise. The truths are estimated from the counts,
  // and then `moved` people have the truth of largest phi instead of that of least phi (below 0: the other way round).
  // asked: the share of all reporters that these are. That share of every truth is certain to have been asked, and the
  // rest counts as drawn with replacement: together they have the variance of a draw without.
  void add_answers(std::span<const double> phi, std::span<const double> counts, double gamma, double asked, int moved);

  // Independent draws, one for each report: a value as often as counts[v] of all. `squares_known`: the estimated
  // variance holds the mean of their squares as it is, not as the draws come out.
  void add_draws(std::span<const double> values, std::span<const double> counts, bool squares_known);

  bool is_normal() const { return laplace_.empty() && draws_.empty(); }
  // The distance of the lattice that all errors lie on; 0 if they lie on none.
  double lattice_step() const;
  double variance() const;

  // How often value ± quantile·standard error covers. standard_error² is the estimated variance, which is not the same
  // whatever the value: it rises with the value as the squares of the answers do, less `falls` times the value.
  // estimated_variance above 0. Cost: that of the moments for a law near a normal one; else a Fourier series of
  // some hundred to ten thousand terms, each as many sines as there are answers.
  double coverage(double quantile, double estimated_variance, double falls) const;

 private:
  struct Laplace {
    double weight;
    double scale;
    std::uint64_t reports;
  };
  // Independent draws of one law.
  struct Draws {
    double count;
    std::vector<double> values;  // their mean is 0
    std::vector<double> probabilities;
    double centre;  // mean of all that were asked the same, on the scale of `values`
    bool squares_known = false;
    double mean = 0;  // taken off the values; where squares_known
  };
  struct LogTransform {  // logarithm of E e^{isZ}
    double modulus;
    double angle;
  };

  double slope() const;
  bool is_near_normal(double falls) const;
  LogTransform log_transform(double s) const;
  // Pr[low <= error <= high], for errors on a lattice of this step. `spread`: about the standard deviation.
  double probability_on_lattice(double step, double low, double high, double spread) const;
  // The same with the error blurred by a normal one of standard deviation `blur`.
  double probability(double low, double high, double spread, double blur) const;

  double gaussian_ = 0;
  std::vector<Laplace> laplace_;
  std::vector<Draws> draws_;
};

}  // namespace hearsay::estimator
