// Describes a query's two classes, the records x with f(x) = 0 and those with f(x) = 1, under the reference
// distribution.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/arrangement/literals.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

// The law of one attribute's value within each class: probability[b][v] = Pr[x_attribute = v | f(x) = b].
struct AttributeLaw {
  std::uint32_t attribute;
  std::array<std::vector<double>, 2> probability;
};
// The laws of the attributes that f depends on, and possibly of other attributes, by ascending attribute. An attribute
// without a law is uniform and independent of f.
using ClassLaws = std::vector<AttributeLaw>;

// The score of each value of one attribute: the part of a linear function ⟨a(x), g⟩ that comes from this attribute's
// coordinates.
struct AttributeScore {
  std::uint32_t attribute;
  std::vector<double> score;
};

// The mean and the variance, within each class, of the sum of the attributes' scores.
struct ScoreMoments {
  std::array<double, 2> mean{0, 0};
  std::array<double, 2> variance{0, 0};
  // If the mean was sampled, `members` is the number of records that the mean averages over, and `mean_variance` is the
  // mean's variance. The variance allows for attributes in which all these records happen to look alike
  // (MomentAverages). If the mean is exact, both are 0.
  std::array<std::uint32_t, 2> members{0, 0};
  std::array<double, 2> mean_variance{0, 0};
};

// Returns E[a_j] for each coordinate j of an attribute, if the attribute's value has the law `law`.
std::vector<double> coordinate_means(AttributeKind kind, std::span<const double> law);

// Returns Σ_j weights[j]·a_j for each value of the attribute, with j over the attribute's coordinates.
std::vector<double> value_scores(AttributeKind kind, std::span<const double> weights);

// Computes mean and variance of an attribute's scores over a set of equally likely values.
class ScoreAverages {
 public:
  explicit ScoreAverages(std::span<const double> scores);

  struct Average {
    long double mean;
    long double variance;
  };
  Average over(const ValueSet& values) const;

 private:
  // The prefix sums of (score - centre_) and of (score - centre_)². centre_ is the average of all scores.
  std::vector<long double> sum_;
  std::vector<long double> sum_of_squares_;
  long double centre_ = 0;
};

}  // namespace hearsay::compiler
