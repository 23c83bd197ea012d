// Estimates a query if reports ask about attributes by public questions.
//
// A report of class c answers questions about a set A of attributes. t_i is the score of the report's answer about
// attribute i, for the function g_i = μ_i + M·h of this attribute (aggregator/compiler/question_law.h). The report adds
// to the estimate of the query
//   φ = Σ_T (γ_c/I_T)·Σ_terms factor·Π_{i in the term, not in T} μ_i·Π_{i∈T} t_i,   I_T = Σ_c γ_c²·N_c(T).
// T runs over the subsets of A that the class covers. The class covers T if its reports show the product of the scores
// on T. γ_c is the probability of a true answer in class c. N_c(T) is the number of reports of class c that cover T.
// The mean of γ_c·Π_{i∈T} t_i over questions and answers is γ_c²·Π_{i∈T} (g_i - μ_i). The attributes that a report is
// asked about do not depend on its record. So, given how many reports cover each T, the sum of φ is an unbiased
// estimate.
//
// A *block* is all reports of one class that were asked about the same subset of the query's attributes. In a block, φ
// is one function of the scores. The code uses two facts throughout. First, for uniform answers the mean of Π_T t·Π_T'
// t is 0 if T ≠ T', and the product of the energies hᵀ·M·h if T = T'. So the mean of φ² for uniform answers, the
// *diagonal* D, is known exactly. Second, for kind kSingle φ² does not depend on the answer, so the mean of φ² is D for
// every record.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/estimator/questions/query_terms.h"

namespace hearsay::estimator {

class QuestionView {
 public:
  // The part of φ from one term: Σ over sets of `parts` (bit i for the i-th) of coefficients[set]·Π t over the set.
  struct Share {
    std::uint32_t term;
    std::vector<std::uint32_t> parts;  // positions in QueryTerm::parts
    std::vector<double> coefficients;
  };
  struct Block : AskedBlock {
    std::vector<Share> shares{};
    double diagonal = 0;  // D
    double sum = 0;       // Σφ
    double squares = 0;   // Σφ²
  };

  // Makes the view. Errors: kNoReports (no report has asked about a set of attributes that the query needs; the message
  // names the set), those of query_terms(). Throws compiler::WorkStopped.
  static Result<QuestionView> create(const QuestionIndex& index, const compiler::LinearQuery& query,
                                     compiler::Work& work);

  const QuestionIndex& index() const { return *index_; }
  const QueryTerms& terms() const { return terms_; }
  // Returns the blocks that have reports and whose φ is not 0.
  std::span<const Block> blocks() const { return blocks_; }
  // Returns the blocks that have no reports but could have some. Returns none if there are too many classes and sets of
  // attributes.
  std::span<const Block> empty_blocks() const { return empty_blocks_; }

  // Calls visit(count, φ) for each entry of the block; `count` is the entry's number of reports. Throws
  // compiler::WorkStopped.
  template <class Visit>
  void for_each(const Block& block, compiler::Work& work, const Visit& visit) const;

 private:
  class Builder;
  QuestionView(const QuestionIndex& index, QueryTerms terms) : index_(&index), terms_(std::move(terms)) {}

  // Returns, for each part of each share, the position of the part's attribute among the attributes of the set.
  std::vector<std::vector<std::uint32_t>> places(const Block& block, const QuestionIndex::AskedSet& set) const;
  // Returns the steps of computing φ of one entry.
  std::uint64_t steps_of(const Block& block) const;
  static double evaluate(const Share& share, std::span<double> scores, std::vector<double>& scratch);

  const QuestionIndex* index_;
  QueryTerms terms_;
  std::vector<Block> blocks_;
  std::vector<Block> empty_blocks_;
};

template <class Visit>
void QuestionView::for_each(const Block& block, compiler::Work& work, const Visit& visit) const {
  const std::uint64_t steps = steps_of(block);
  std::vector<double> scores(terms_.attributes.size());
  std::vector<double> scratch;
  for (const std::uint32_t s : block.sets) {
    const QuestionIndex::AskedSet& set = index_->sets()[s];
    const auto at = places(block, set);
    index_->for_each(set, [&](double count, std::span<const QuestionIndex::Part> parts) {
      work.spend(steps);
      double phi = 0;
      for (std::size_t i = 0; i < block.shares.size(); ++i) {
        const Share& share = block.shares[i];
        const QueryTerm& term = terms_.terms[share.term];
        for (std::size_t p = 0; p < share.parts.size(); ++p) {
          const QuestionIndex::Part& part = parts[at[i][p]];
          scores[p] = term.parts[share.parts[p]].scores.of(part.question, part.answer);
        }
        phi += evaluate(share, std::span(scores).first(share.parts.size()), scratch);
      }
      visit(count, phi);
    });
  }
}

}  // namespace hearsay::estimator
