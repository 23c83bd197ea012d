// Computes variances of products of functions, given the weights of groups and of questions.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "aggregator/planner/attribute_functions.h"
#include "aggregator/planner/workload.h"
#include "common/channel/sampled.h"
#include "hearsay/mechanism.h"
#include "hearsay/schema.h"

namespace hearsay::planner {

// What an error is measured against (report_variance.h).
enum class Against : std::uint8_t {
  // The population from which the people are drawn anew.
  kPopulation,
  // The people who report.
  kReporters
};

// A law for small_maximum(), with one value for each product: the largest variance over all populations. The variances
// include all covariances between parts of one answer. The weights are first those of the lists of groups. Then come
// the weights of the multipliers, for each attribute that has a choice of multipliers.
class SetLaw {
 public:
  // Attributes with the same number in `alike` share their questions. If `adjust` is true, the multipliers get weights.
  static Result<SetLaw> create(const Schema& schema, const std::vector<QuestionSpec>& questions,
                               const std::vector<std::size_t>& alike, Against against, bool adjust);

  // Adds a product. Errors: those of AttributeFunctions; kLimitExceeded (more than 4 functions; too many kinds of
  // people).
  Result<void> add(const ProductFunction& product, double weight);
  // Sets the lists of groups. Call this after the last add(). `channel` has the groups of all lists, list after list,
  // all with the same weight. `list_sizes` has the number of groups of each list. The groups of one list are drawn
  // equally often.
  void set_groups(const SampledChannel& channel, std::span<const std::size_t> list_sizes);

  // Returns the sizes of the blocks of weights; the weights of a block sum to 1. First comes the block of the lists,
  // then, for each different number in `alike`, the block of the multipliers. This block is empty if the questions have
  // no weights to adjust.
  const std::vector<Eigen::Index>& blocks() const { return blocks_; }
  Eigen::VectorXd initial_weights() const;
  // Returns the information about each set of attributes that a product needs. `of_lists` has the weights of the lists.
  Eigen::VectorXd information(const Eigen::VectorXd& of_lists) const;
  // Returns about how many multiplications values() and gradient() take together.
  double work() const;
  std::vector<QuestionSpec> questions(const Eigen::VectorXd& weights) const;

  Eigen::VectorXd values(const Eigen::VectorXd& weights);
  // Returns the gradient of Σ share·value for fixed worst populations. (A change of the worst populations matters only
  // in the second order.)
  Eigen::VectorXd gradient(const Eigen::VectorXd& shares) const;

 private:
  // A product, and its worst population (symbols: set_law.cc). The product is const + Σ_T f_T over the non-empty sets T
  // of its attributes (set_prices.h). T has bit i if T contains parts[i]. The number of the set T is T - 1.
  struct Product {
    struct Part {
      std::size_t axis;
      std::size_t number;
      std::vector<std::size_t> kind_of;  // for each kind of people: the kind of this part's function
    };
    double weight;
    std::vector<Part> parts;
    std::vector<Eigen::Index> sets;  // for each T: the row of T in sums_
    Eigen::VectorXd people;          // for each kind: its part of the worst population found so far
    Eigen::VectorXd energies;        // for each T: E[φ_T²] for uniform answers
    Eigen::MatrixXd signals;         // for each kind and T: f_T
    Eigen::MatrixXd products;        // for each kind and pair (T, U): E[φ_T·φ_U | truth]

    Eigen::Index count() const { return static_cast<Eigen::Index>(sets.size()); }
  };
  // Prices holds, for one product, the prices of its sets and pairs of sets at the present weights.
  static constexpr int kMostSets = 15;
  using OfSets = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostSets, 1>;  // without memory on the heap
  struct Prices {
    OfSets information;
    OfSets noise;
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostSets * kMostSets, 1> signal;  // for each pair of sets
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostSets, kMostSets> mean;
  };

  const FunctionMoments& moments(const Product::Part& part) const { return axes_[part.axis].function(part.number); }
  void set_moments(Product& product) const;
  Prices prices(const Product& product) const;
  double worst(Product& product) const;
  void add_set_slopes(const Product& product, const Prices& at, double share, Eigen::MatrixXd& slopes) const;
  void add_question_slopes(const Product& product, const Prices& at, double share,
                           std::vector<Eigen::VectorXd>& slopes) const;

  Against against_ = Against::kPopulation;
  std::vector<std::size_t> axis_of_;  // per attribute
  std::vector<AttributeFunctions> axes_;
  std::map<std::vector<std::uint32_t>, Eigen::Index> rows_;
  std::vector<Product> products_;
  std::vector<Eigen::Index> blocks_;
  Eigen::MatrixXd chances_;  // C[v, T], transposed
  Eigen::MatrixXd powers_;   // at (v, lane): γ_v^k; 0 in the lanes of other kinds
  Eigen::MatrixXd sums_;     // X_k[T], at (T, lane)
};

}  // namespace hearsay::planner
