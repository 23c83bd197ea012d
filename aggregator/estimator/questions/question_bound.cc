// This comment proves that the half-width holds for every number n of reports and for all records. Symbols are as in
// question_view.h. The probabilities below are conditional, given the number of reports in every block. A uniform
// permutation π assigns records to reports r. With ψ_B(x) = E[φ|x] for a report of block B, the error is
//   Σ_r (φ_r - ψ_B(π(r))) + Σ_r (ψ_B(π(r)) - mean of ψ_B).
// The summands of the first part, the noise, are independent given π. Bennett's inequality bounds their generating
// functions by a variance and a radius that hold for every record. The second part is sub-Gaussian with the variance
// w²/2 for each report, where w is the length of an interval that contains all ψ_B(x). This follows from the inequality
// for permanents in aggregator/estimator/sampled/sampled_bound.cc, which only needs fixed blocks.
//
// *Variance.* E[φ²|x] = γ·A(x) + (1-γ)·D, where A is the mean of φ² over the questions if all answers are true. For
// kind kSingle, A = D. Otherwise let e_i = g_i(x) - μ_i and W_i = E t_i² for true answers. Let W'_i be an upper bound
// on W_i over all values. The questions about different attributes are independent. So for a query of one term, with
// a_T the coefficients of φ,
//   A = Σ_{T,T'} a_T·a_T'·Π_{i ∈ both} W_i·Π_{i ∈ one} e_i.
// A rises with every W_i: the coefficient of W_i is a quadratic form in the a_T, and the matrix of this form is a
// Kronecker product of positive semidefinite matrices (1, e; e, W). With W'_i in place of W_i, A is affine in every
// e_i. So A is largest at a corner of the box of all e. For several terms, √A is at most the sum of the terms' √A
// (Minkowski). Also A <= K·D, where K is the number of answers, since φ² at the true answer is at most the sum of φ²
// over all answers.
//
// *Range.* φ is affine in every t_i, and ψ_B is affine in every e_i. So the largest and the least values of φ and ψ_B
// lie at corners, too. A lying report may choose the questions and the answers about different attributes freely. So
// for a query of one term, lying reports reach the whole range of φ.

#include "aggregator/estimator/questions/question_bound.h"

#include <algorithm>
#include <cmath>

#include "aggregator/tails/chernoff.h"
#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

using Block = QuestionView::Block;
using Share = QuestionView::Share;

struct Range {
  double low = 0;
  double high = 0;
  double length() const { return high - low; }
  double largest() const { return std::max(-low, high); }
  void add(const Range& other) {
    low += other.low;
    high += other.high;
  }
};

// Returns the range of Σ_T coefficients[T]·Π_{i∈T} z_i, where range_of gives the range of each z_i.
template <class RangeOf>
Range corners(const Share& share, const RangeOf& range_of) {
  std::vector<double> values = share.coefficients;
  for (std::size_t i = 0; i < share.parts.size(); ++i) {
    const Range range = range_of(share.parts[i]);
    const std::size_t bit = std::size_t{1} << i;
    for (std::size_t at = 0; at < values.size(); ++at) {
      if ((at & bit) != 0) continue;
      const double without = values[at];
      const double slope = values[at | bit];
      values[at] = without + range.low * slope;
      values[at | bit] = without + range.high * slope;
    }
  }
  const auto [low, high] = std::ranges::minmax(values);
  return {low, high};
}

struct Ranges {
  Range phi;
  Range psi;
};

Ranges ranges_of(const QuestionView& view, const Block& block, compiler::Work& work) {
  Ranges all;
  for (const Share& share : block.shares) {
    const QueryTerm& term = view.terms().terms[share.term];
    work.spend(std::min<std::uint64_t>(2 * share.parts.size() * share.coefficients.size(), std::uint64_t{1} << 20U));
    all.phi.add(corners(share, [&](std::uint32_t p) {
      return Range{term.parts[p].scores.least(), term.parts[p].scores.most()};
    }));
    Range psi = corners(share, [&](std::uint32_t p) { return Range{term.parts[p].low, term.parts[p].high}; });
    all.psi.add({block.gamma * psi.low, block.gamma * psi.high});
  }
  return all;
}

double exact_truth_square(const QueryTerm& term, const Share& share, compiler::Work& work) {
  const std::size_t parts = share.parts.size();
  std::vector<double> products(std::size_t{1} << (2 * parts), 0);  // by pairs of sets (T, T'), two bits for each part
  work.spend(4 * products.size());
  for (std::size_t at = 0; at < products.size(); ++at) {
    std::size_t first = 0;
    std::size_t second = 0;
    for (std::size_t i = 0; i < parts; ++i) {
      first |= (at >> (2 * i) & 1U) << i;
      second |= (at >> (2 * i + 1) & 1U) << i;
    }
    products[at] = share.coefficients[first] * share.coefficients[second];
  }
  // Each step replaces the two highest bits, those of the i-th part, by one lowest bit. This bit says at which end of
  // its range e_i is.
  for (std::size_t i = parts; i-- > 0;) {
    const QueryPart& part = term.parts[share.parts[i]];
    const std::size_t quarter = products.size() / 4;
    std::vector<double> next(2 * quarter);
    for (std::size_t at = 0; at < quarter; ++at) {
      const double fixed = products[at] + part.scores.square() * products[at + 3 * quarter];
      const double slope = products[at + quarter] + products[at + 2 * quarter];
      next[2 * at] = fixed + part.low * slope;
      next[2 * at + 1] = fixed + part.high * slope;
    }
    products = std::move(next);
  }
  return *std::ranges::max_element(products);
}

// Returns an upper bound on √A of one term, for all records. With many parts, the bound is coarser.
double truth_size(const QueryTerm& term, const Share& share, compiler::Work& work) {
  constexpr std::size_t kMostExact = 8;
  if (share.parts.size() <= kMostExact) return std::sqrt(std::max(0.0, exact_truth_square(term, share, work)));
  double sum = 0;  // Minkowski's inequality, over the sets T
  for (std::size_t subset = 1; subset < share.coefficients.size(); ++subset) {
    double size = std::abs(share.coefficients[subset]);
    for (std::size_t i = 0; i < share.parts.size() && size > 0; ++i) {
      if ((subset >> i & 1U) != 0) size *= std::sqrt(term.parts[share.parts[i]].scores.square());
    }
    sum += size;
  }
  return sum;
}

double largest_variance(const QuestionView& view, const Block& block, compiler::Work& work) {
  if (block.single) return block.diagonal;
  double size = 0;
  for (const Share& share : block.shares) size += truth_size(view.terms().terms[share.term], share, work);
  double answers = 1;
  for (const std::uint32_t attribute : attributes_of(view.terms().attributes, block.axes)) {
    answers *= view.index().channel().questions(attribute).answers();
  }
  return block.gamma * std::min(size * size, answers * block.diagonal) + (1 - block.gamma) * block.diagonal;
}

}  // namespace

Result<QuestionBounds> question_bounds(const QuestionView& view, std::uint64_t reports, double beta,
                                       compiler::Work& work) {
  if (view.blocks().empty()) return QuestionBounds{0, 0};
  const auto n = static_cast<double>(reports);
  // The error is the error of a mean of n reports with the values n·φ.
  tails::ReportError error;
  // `reach` contains 0, for reports that were not asked about the query's attributes.
  Range reach;
  const auto extend = [&reach](const Range& phi) {
    reach = {std::min(reach.low, phi.low), std::max(reach.high, phi.high)};
  };
  for (const Block& block : view.blocks()) {
    const auto [phi, psi] = ranges_of(view, block, work);
    extend(phi);
    error.bounded_variance += n * block.reports * largest_variance(view, block, work);
    error.bounded_radius = std::max(error.bounded_radius, n * std::min(phi.length(), phi.largest() + psi.largest()));
    error.subgaussian_variance += n * block.reports * psi.length() * psi.length() / 2;
  }
  for (const Block& block : view.empty_blocks()) extend(ranges_of(view, block, work).phi);
  HEARSAY_TRY(const double half_width, tails::chernoff_half_width(error, reports, beta));
  return QuestionBounds{half_width, reach.length()};
}

}  // namespace hearsay::estimator
