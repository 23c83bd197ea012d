// Finds weights of one-bit questions and of sets of attributes. The weights nearly minimise the largest variance of
// many products.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/planner/question_costs.h"

namespace hearsay::planner {

// A *class* is a set of attributes that share the weights of their questions. An *orbit* is a set of sets of attributes
// that share one weight.
struct QuestionProblem {
  // Products of p functions, each of another attribute.
  struct Products {
    // The classes of the p attributes.
    std::vector<std::size_t> classes;
    // The orbit of each non-empty subset S of the attributes, at S - 1, where S is a bit mask.
    std::vector<std::size_t> orbits;
    // The factor that multiplies the products' variances.
    double weight;
    // p numbers for each product: each is the number of a function in the costs of the function's class.
    std::vector<std::size_t> functions;
  };

  std::vector<QuestionCosts> costs;  // per class
  // The number of sets of attributes in each orbit.
  std::vector<double> orbit_sizes;
  std::vector<Products> products;  // at least one
};

struct QuestionWeights {
  std::vector<Eigen::VectorXd> multipliers;  // per class; each sums to 1
  Eigen::VectorXd orbits;                    // sums to 1
  // The largest variance of a product, multiplied by the product's weight, if answers are always true. If answers are
  // true with probability γ, divide by γ². lower_bound holds for all weights, if the means of the functions stay as
  // found here.
  double worst;
  double lower_bound;
};

// Finds weights that nearly minimise `worst`. The variance of a product's estimate is Σ_T e_T/I_T over the non-empty
// sets T of its attributes. e_T is the product of the energies of the functions on T and of the squared means of the
// other functions. I_T is the probability that a report asks about exactly T. The variance is log-convex in all weights
// together. The search stops when `worst` is within 0.4 % of lower_bound, or at a limit on steps and multiplications.
QuestionWeights best_question_weights(QuestionProblem problem);

}  // namespace hearsay::planner
