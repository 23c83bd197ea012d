// Symbols: those of question_variance.cc. For attribute i with J values, P is the projection to functions with the sum
// 0, and M is the matrix of the questions (aggregator/compiler/question_law.h). The weights of a function g are
// (P·M·P)⁺·g. The energy of g is g'·(P·M·P)⁺·g <= e·‖g‖², where 1/e is the least eigenvalue of P·M·P on functions with
// the sum 0. The mean μ of g is linear in g, so μ² <= a·‖g‖² for some a.
//
// Products of the attributes' bounds hold for a function f of several attributes: ‖f - 1/2‖² <= Π J_i/4, and E_T <=
// cap_T = Π_{i in T} e_i·Π_{i not in T} a_i·‖f - 1/2‖². If all means are plain averages, the f_T are orthogonal, and
// Σ_T E_T/cap_T <= 1. Otherwise each E_T is at most its cap.
//
// One of K answers is true, so E[φ_T² | truth] <= K·E_T, where K is the product over T of the numbers of answers. The
// two scores of a one-bit answer are opposite, so for such answers E[φ_T² | truth] = E_T. Moreover, Σ_{T,U}
// signal(T,U)·√(x_T·x_U) <= Σ_T x_T·Σ_U signal(T,U).
//
// For one attribute with K answers, the score t(q, k) is the inner product of h with a vector of entries K-1 and -1. So
// |t(q, k)| <= (K-1)·√J·‖h‖ <= (K-1)·√J·e·‖g‖.

#include "aggregator/planner/function_bound.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "aggregator/compiler/compile.h"
#include "aggregator/compiler/question_law.h"
#include "aggregator/planner/set_prices.h"
#include "common/base/number_text.h"
#include "common/base/try.h"
#include "common/channel/channel.h"
#include "common/channel/questions.h"

namespace hearsay::planner {
namespace {

struct Caps {
  double energy;  // e·J
  double mean;    // a·J; 1 if the mean is the plain average
  double truth;   // the largest E[t² | truth] divided by the energy
  double score;   // the largest |t(q, k)| of functions with ‖g‖² = J
};

Result<Caps> caps_of(const Attribute& attribute, const Questions& questions) {
  constexpr std::uint32_t kMaxValues = 1U << 9U;
  const std::uint32_t values = questions.values();
  if (values > kMaxValues) {
    return Error{ErrorCode::kLimitExceeded,
                 "attribute '" + attribute.name() + "' has " + with_separators(values) +
                     " values, too many to bound all functions of it (at most " + with_separators(kMaxValues) +
                     "): make its values coarser, or plan conjunctions, ranges or a list of queries"};
  }
  const compiler::QuestionLaw law(questions);
  Eigen::MatrixXd matrix(values, values);
  std::vector<double> unit(values, 0.0);
  for (std::uint32_t x = 0; x < values; ++x) {
    unit[x] = 1;
    const std::vector<double> column = law.apply(unit);
    matrix.col(x) = Eigen::Map<const Eigen::VectorXd>(column.data(), values);
    unit[x] = 0;
  }
  const Eigen::MatrixXd centre = Eigen::MatrixXd::Identity(values, values).array() - 1.0 / values;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(centre * matrix * centre);
  const Eigen::VectorXd& eigenvalues =
      spectrum.eigenvalues();  // in ascending order; the first is 0, for constant functions
  constexpr double kSeen = 1e-9;
  if (!(eigenvalues(1) > kSeen * eigenvalues(values - 1))) {
    return Error{ErrorCode::kQueryNotCovered,
                 "the questions about '" + attribute.name() +
                     "' do not tell all of its values apart, so some functions of it have no answer"};
  }
  Eigen::VectorXd inverse = eigenvalues.cwiseInverse();
  inverse(0) = 0;
  const Eigen::MatrixXd weights =
      spectrum.eigenvectors() * inverse.asDiagonal() * spectrum.eigenvectors().transpose();  // maps g to its weights h
  const Eigen::RowVectorXd mean = Eigen::RowVectorXd::Constant(values, 1.0 / values) *
                                  (Eigen::MatrixXd::Identity(values, values) - matrix * weights);
  const double answers = questions.answers();
  return Caps{values / eigenvalues(1), std::max(1.0, values * mean.squaredNorm()), questions.width() == 1 ? 1 : answers,
              (answers - 1) * values / eigenvalues(1)};
}

}  // namespace

Result<ReportVariance> function_bound(const Task& task, std::span<const std::uint32_t> attributes) {
  const auto& channel = std::get<SampledChannel>(task.channel().kind());
  std::vector<Caps> caps;
  bool orthogonal = true;
  for (const std::uint32_t i : attributes) {
    constexpr double kRounding = 1e-9;
    HEARSAY_TRY(const Caps of_one, caps_of(task.asked_schema()[i], channel.questions(i)));
    caps.push_back(of_one);
    orthogonal = orthogonal && of_one.mean < 1 + kRounding;
  }
  const SetPrices prices(channel, attributes);
  ReportVariance bound{};
  std::vector<double> scores(prices.sets(), 0.0);
  const auto add = [&](double& total, double part) { total = orthogonal ? std::max(total, part) : total + part; };
  for (std::uint32_t set = 1; set < prices.sets(); ++set) {
    if (!(prices.information(set) > 0)) {
      return Error{ErrorCode::kQueryNotCovered,
                   "the task does not ask about all sets of " + compiler::names(task.asked_schema(), attributes)};
    }
    double energy = 0.25;
    double truth = 1;
    scores[set] = 0.5;
    for (std::size_t i = 0; i < caps.size(); ++i) {
      const bool inside = (set >> i & 1U) != 0;
      energy *= inside ? caps[i].energy : caps[i].mean;
      scores[set] *= inside ? caps[i].score : std::sqrt(caps[i].mean);
      if (inside) truth *= caps[i].truth;
    }
    double signal = 0;
    for (std::uint32_t other = 1; other < prices.sets(); ++other) signal += prices.signal(set, other);
    add(bound.average, energy / prices.information(set));
    add(bound.worst, energy * (prices.noise(set) + truth * signal));
  }
  bound.worst_among_reporters = bound.worst;
  bound.influence = 2 * prices.largest(scores);
  bound.kurtosis = bound.influence * bound.influence / bound.worst;
  return bound;
}

}  // namespace hearsay::planner
