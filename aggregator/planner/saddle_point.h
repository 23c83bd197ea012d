// Finds probabilities of classes of groups that nearly minimise the largest of many variances.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace hearsay::planner {

// Each pair has the number of an attribute set, and the sum of a query's squared weights on the set.
using SetEnergy = std::vector<std::pair<std::size_t, double>>;

// Element [class][set] is the information that a group of the class carries about the attribute set.
using SetInformation = std::vector<std::vector<double>>;

struct SaddlePoint {
  std::vector<double> weights;  // of the classes, with the sum 1
  std::vector<double> lambda;   // of the queries in the Lagrangian, with the sum 1
  double worst;                 // the largest variance
  double lower_bound;           // no weights give a smaller `worst`
};

// The variance of query q is Σ_T e_qT/I_T, where e_qT are its energies and I_T = Σ_κ W_κ·information[κ][T] over the
// classes κ. The largest variance is convex in the weights W. The search stops when `worst` is within 0.2 % of
// `lower_bound`. The search may end earlier: after 400 Newton steps, when rounding leaves no step, or before the first
// Newton step if a step would take too long (more than 512 classes, or about 2^28 products for each step).
SaddlePoint saddle_point(const SetInformation& information, const std::vector<SetEnergy>& energies);

}  // namespace hearsay::planner
