// Variances of products of functions as functions of the weights of groups and of questions.
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

// The error against which variances are taken (report_variance.h).
enum class Against : std::uint8_t {
  kPopulation,  // that the people are drawn anew from
  kReporters    // the people who report, whoever they are
};

// The largest variance of each product, over the worst populations, with all covariances between what one answer says
// about several sets of attributes. A law for small_maximum(). Its weights are those of lists of groups, and then those
// of the multipliers of each attribute that has any to choose.
class SetLaw {
 public:
  // Attributes with the same number in `alike` share their questions. `adjust`: whether multipliers get weights.
  static Result<SetLaw> create(const Schema& schema, const std::vector<QuestionSpec>& questions,
                               const std::vector<std::size_t>& alike, Against against, bool adjust);

  // Errors: those of AttributeFunctions; kLimitExceeded (more than 4 functions; too many kinds of people).
  Result<void> add(const ProductFunction& product, double weight);
  // The groups of the channel, whose weights are equal, in lists of so many, after the last add(). Those of a list are
  // drawn equally often.
  void set_groups(const SampledChannel& channel, std::span<const std::size_t> list_sizes);

  // How many weights belong together and sum to 1: first the lists', then those of each attribute's questions.
  const std::vector<Eigen::Index>& blocks() const { return blocks_; }
  Eigen::VectorXd initial_weights() const;
  // Per set of attributes that a product needs.
  Eigen::VectorXd information(const Eigen::VectorXd& of_lists) const;
  // Multiplications of one step, about.
  double work() const;
  std::vector<QuestionSpec> questions(const Eigen::VectorXd& weights) const;

  Eigen::VectorXd values(const Eigen::VectorXd& weights);
  // The populations held as they are: they are the worst, so that their own changes matter in the second order only.
  Eigen::VectorXd gradient(const Eigen::VectorXd& shares) const;

 private:
  // A product and who is asked at worst. It is const + Σ_T f_T over the non-empty sets T of its attributes
  // (set_prices.h); T has bit i where it has parts[i], and number T - 1.
  struct Product {
    struct Part {
      std::size_t axis;
      std::size_t number;
      std::vector<std::size_t> kind_of;  // the kind of its function that each kind of people is of
    };
    double weight;
    std::vector<Part> parts;
    std::vector<Eigen::Index> sets;  // of each T: its row of sums_
    Eigen::VectorXd people;          // of each kind: their part in the worst population found so far
    Eigen::VectorXd energies;        // of each T: E[φ_T²] for uniform answers
    Eigen::MatrixXd signals;         // f_T by kind
    Eigen::MatrixXd products;        // E[φ_T·φ_U | truth] by kind, one column for each pair

    Eigen::Index count() const { return static_cast<Eigen::Index>(sets.size()); }
  };
  // Of one product: the prices of its sets and pairs of sets in the present weights.
  static constexpr int kMostSets = 15;
  using OfSets = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostSets, 1>;  // on the stack
  struct Prices {
    OfSets information;
    OfSets noise;
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostSets * kMostSets, 1> signal;  // of each pair
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
  Eigen::MatrixXd chances_;  // C transposed: [T][v]
  Eigen::MatrixXd powers_;   // [v][lane]: γ_v^k, 0 for other kinds
  Eigen::MatrixXd sums_;     // X: [T][lane]
};

}  // namespace hearsay::planner
