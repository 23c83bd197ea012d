// Estimates the mean of a function of records from reports of the channel `strategy`.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string_view>
#include <variant>

#include "aggregator/compiler/listed_strategy.h"
#include "aggregator/compiler/shift_strategy.h"
#include "common/channel/strategy.h"
#include "hearsay/result.h"

namespace hearsay::compiler {

// Gives every output a score for a function f, such that the score of a report of record x has the mean f(x). So the
// mean of the reports' scores is unbiased for every population. If every record is equally frequent, no other unbiased
// scores have a smaller variance. The scores are linear in f, so answers about disjoint sets of records add up. With A
// the matrix, outputs × records, and D = diag(A·1), the scores are D⁻¹A(AᵀD⁻¹A)⁺f (McKenna et al. 2020, Theorem 3.10).
//
// Immutable. Cost: about outputs·records² steps to make a decoder, and a few times outputs·records steps for a
// function. With shifts, making a decoder takes one Fourier transform over the records for each two rows, and finding
// the scores of a function takes about two for each two rows.
class StrategyDecoder {
 public:
  explicit StrategyDecoder(const StrategyChannel& channel);
  // `probabilities` is outputs × records and positive. Each column adds up to 1.
  explicit StrategyDecoder(Eigen::MatrixXd probabilities);
  explicit StrategyDecoder(const ShiftRows& shift_rows);

  // Returns the scores of q functions. `functions` is a matrix records × q, and the result is a matrix outputs × q.
  // Errors: kQueryNotCovered (a function is not a weighted sum of the outputs' probabilities, so no scores are
  // unbiased). The means of the scores count as right if they differ from the function by at most 1e-10·(1 + the
  // largest |score|).
  Result<Eigen::MatrixXd> scores(const Eigen::MatrixXd& functions) const;
  // Returns the mean score of a report of each record, as a matrix records × q. `scores` is outputs × q.
  Eigen::MatrixXd means_of(const Eigen::MatrixXd& scores) const;
  // Returns the mean squared score of a report of each record, as a matrix records × q.
  Eigen::MatrixXd second_moments(const Eigen::MatrixXd& scores) const { return means_of(scores.cwiseAbs2()); }
  // Returns the probability of each output in q populations, as a matrix outputs × q. `people` is a matrix records × q
  // with the share of each record in each population.
  Eigen::MatrixXd outputs_of(const Eigen::MatrixXd& people) const;

  // Returns the implementation with shifts, or nothing if the matrix is listed.
  const ShiftStrategy* shift_strategy() const { return std::get_if<ShiftStrategy>(&kind_); }

  Eigen::Index records() const;
  Eigen::Index outputs() const { return mean_probabilities().size(); }
  const Eigen::VectorXd& mean_probabilities() const;  // the mean of each output's probability over the records

 private:
  std::variant<ListedStrategy, ShiftStrategy> kind_;
};

// Returns the cost of making a decoder and finding the scores of one function, in steps of Work.
std::uint64_t decoder_steps(const StrategyChannel& channel);
// Returns the cost of finding the scores of one more function, and their second moments.
std::uint64_t scores_steps(const StrategyChannel& channel);

// The message if scores() returns kQueryNotCovered.
constexpr std::string_view kNotInRowSpace =
    "this task's strategy cannot answer the query: the query is no weighted sum of the probabilities of the strategy's "
    "outputs";

}  // namespace hearsay::compiler
