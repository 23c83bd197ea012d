// The weights of one-bit questions, and of the sets of attributes that are asked, best for the worst of many products.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/planner/question_costs.h"

namespace hearsay::planner {

// What weights are chosen for. Attributes that are asked alike are one *class* of attributes: they share the weights of
// their questions. The sets of attributes that are asked alike are one *orbit*: they share a weight.
struct QuestionProblem {
  // Products of one function each of some attributes.
  struct Products {
    std::vector<std::size_t> classes;  // of these attributes, p of them
    std::vector<std::size_t> orbits;   // of each non-empty subset of them: that of subset S is orbits[S - 1]
    double weight;                     // that the variances count with
    // p for each product: the numbers of the functions in their classes' costs.
    std::vector<std::size_t> functions;
  };

  std::vector<QuestionCosts> costs;  // per class
  std::vector<double> orbit_sizes;   // how many sets of attributes are in it
  std::vector<Products> products;    // at least one
};

struct QuestionWeights {
  std::vector<Eigen::VectorXd> multipliers;  // per class; each sums to 1
  Eigen::VectorXd orbits;                    // sums to 1
  // The largest variance of the products times their weights, for answers that are always true: over γ² it is that of
  // answers which are true with probability γ. No weights have less than lower_bound, with the means of functions as
  // they are at the optimum.
  double worst;
  double lower_bound;
};

// The variance of a product's estimate is Σ_T e_T/I_T over the non-empty sets T of its attributes, e_T the product of
// the energies of its functions on T and of the squared means of the others, I_T the probability that exactly T is
// asked. This is log-convex in all weights together. The search stops when worst is within 0.4 % of lower_bound, and
// after a few thousand steps in any case.
QuestionWeights best_question_weights(QuestionProblem problem);

}  // namespace hearsay::planner
