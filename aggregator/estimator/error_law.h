// The law of an estimate's error. From this law the estimator computes how often the normal interval contains the
// truth, if reports are few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::estimator {

// The error of an estimate: a sum of independent parts, each with the mean 0.
class ErrorLaw {
 public:
  void add_gaussian(double variance) { gaussian_ += variance; }

  // Adds the sum of `reports` draws of weight·Y, where Y is discrete Laplace: Pr[Y = y] ∝ exp(-|y|/scale).
  void add_laplace(double weight, double scale, std::uint64_t reports) { laplace_.push_back({weight, scale, reports}); }

  // Adds reports of `sampled` that were asked the same question. counts[k] reports gave answer k, which moves the
  // estimate by phi[k]. An answer is the truth with probability gamma, and otherwise uniform among all answers.
  //
  // First estimates from the counts how many people have each true answer. Then `moved` people change from the true
  // answer with the least phi to the true answer with the largest phi. If `moved` is negative, -moved people change in
  // the other direction. `asked` is the share of these reports among all reports. The reporters who were asked this
  // question are modelled in two parts: the share `asked` of each true answer is fixed, and the rest are draws with
  // replacement. Together the two parts have the variance of a draw without replacement.
  void add_answers(std::span<const double> phi, std::span<const double> counts, double gamma, double asked, int moved);

  // Adds one independent draw for each report. A draw is values[v] with a probability proportional to counts[v]. Pass
  // `squares_known` if the estimated variance uses the exact mean of the squares, not the squares of the draws.
  void add_draws(std::span<const double> values, std::span<const double> counts, bool squares_known);

  bool is_normal() const { return laplace_.empty() && draws_.empty(); }
  // Returns the step of the lattice on which all errors lie. Returns 0 if no coarse enough lattice holds all errors.
  double lattice_step() const;
  double variance() const;

  // Returns the probability that the interval value ± quantile·√variance contains the truth. `estimated_variance` is
  // the expected variance and must be above 0. The variance is estimated from the same answers as the value, so the
  // variance changes with the value. The estimated variance rises with the squares of the reports' effects on the
  // value, and falls by `falls` times the value.
  //
  // Cost: if the errors lie on no coarse lattice and the law is near a normal law, the function computes four moments.
  // Otherwise the function adds up a Fourier series of at most about ten thousand terms, each with one sine for every
  // answer.
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
    // The mean effect of all reports that were asked the same question, on the scale of `values`.
    double centre;
    bool squares_known = false;
    // The number that is subtracted from the values, if squares_known.
    double mean = 0;
  };
  struct LogTransform {  // logarithm of the mean of e^{isZ}, for the error Z
    double modulus;
    double angle;
  };

  double slope() const;
  bool is_near_normal(double falls) const;
  LogTransform log_transform(double s) const;
  // Returns Pr[low <= error <= high] for errors on a lattice with this step. `spread` is about the standard deviation
  // of the error.
  double probability_on_lattice(double step, double low, double high, double spread) const;
  // Returns Pr[low <= error + Z <= high], where Z is normal with the small standard deviation `blur`.
  double probability(double low, double high, double spread, double blur) const;

  double gaussian_ = 0;
  std::vector<Laplace> laplace_;
  std::vector<Draws> draws_;
};

}  // namespace hearsay::estimator
