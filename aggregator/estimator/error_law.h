// The law of an estimate's error. It tells how often the normal interval covers when reports are few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::estimator {

// The error of an estimate as a sum of independent parts, each less its mean.
class ErrorLaw {
 public:
  void add_gaussian(double variance) { gaussian_ += variance; }

  // Adds the sum of `reports` draws of weight·Y, Y discrete Laplace: Pr[Y = y] ∝ exp(-|y|/scale).
  void add_laplace(double weight, double scale, std::uint64_t reports) { laplace_.push_back({weight, scale, reports}); }

  // Adds reports of `sampled` that were asked the same. counts[k] reports gave answer k, which moves the estimate by
  // phi[k]. An answer is the truth with probability gamma, and otherwise uniform among all answers.
  //
  // The truths are estimated from the counts. Then `moved` people change from the truth of least phi to that of largest
  // phi; if `moved` is negative, the other way round. `asked` is the share of all reporters that these reports are.
  // This share of every truth counts as certainly asked and the rest as drawn with replacement. Together they have the
  // variance of a draw without replacement.
  void add_answers(std::span<const double> phi, std::span<const double> counts, double gamma, double asked, int moved);

  // Adds independent draws, one for each report. A draw is values[v] in proportion to counts[v]. `squares_known`: the
  // estimated variance holds the mean of the squares itself, not the squares of the draws.
  void add_draws(std::span<const double> values, std::span<const double> counts, bool squares_known);

  bool is_normal() const { return laplace_.empty() && draws_.empty(); }
  // Returns the distance of the lattice that all errors lie on, or 0 if there is no lattice.
  double lattice_step() const;
  double variance() const;

  // Returns how often value ± quantile·standard error covers. standard_error² is the estimated variance, which depends
  // on the value: it rises with the value as the squares of the answers do, less `falls` times the value.
  // `estimated_variance` must be above 0.
  //
  // Cost: if the law is near a normal one, that of the moments. Otherwise, that of a Fourier series of some hundred to
  // ten thousand terms, each with as many sines as there are answers.
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
    // Mean of all reports that were asked the same, on the scale of `values`.
    double centre;
    bool squares_known = false;
    // Subtracted from the values if squares_known.
    double mean = 0;
  };
  struct LogTransform {  // logarithm of E e^{isZ}
    double modulus;
    double angle;
  };

  double slope() const;
  bool is_near_normal(double falls) const;
  LogTransform log_transform(double s) const;
  // Returns Pr[low <= error <= high] for errors on a lattice of this step. `spread` is about the standard deviation.
  double probability_on_lattice(double step, double low, double high, double spread) const;
  // The same, with the error blurred by a normal one of standard deviation `blur`.
  double probability(double low, double high, double spread, double blur) const;

  double gaussian_ = 0;
  std::vector<Laplace> laplace_;
  std::vector<Draws> draws_;
};

}  // namespace hearsay::estimator
