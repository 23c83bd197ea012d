// Reports of the groups with several generators, kRaw and kEven, collected by what they show of some attributes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aggregator/estimator/sampled/sampled_view.h"

namespace hearsay::estimator {

class WidePatterns {
 public:
  // All groups of one class with the same factors on the attributes.
  struct Pattern {
    double gamma;
    std::uint32_t axes;   // the attributes that they have, bit i for the i-th
    std::uint32_t width;  // bits of an answer: one per such attribute, see SampledIndex::Part
    std::size_t first_term, terms;
    std::size_t first_answer, answers;
  };

  // Those patterns that cover a coordinate of the sets. Cost: some nanoseconds a report that has one of the attributes.
  // Errors: kLimitExceeded beyond 24 attributes or 56 bits of them.
  static Result<WidePatterns> create(const SampledIndex& index, std::span<const std::uint32_t> attributes,
                                     std::span<const CoordinateSet> sets);

  std::span<const Pattern> patterns() const { return patterns_; }
  std::span<const SampledView::Term> terms(const Pattern& pattern) const {
    return std::span(terms_).subspan(pattern.first_term, pattern.terms);
  }
  std::span<const std::uint32_t> answers(const Pattern& pattern) const {
    return std::span(answers_).subspan(pattern.first_answer, pattern.answers);
  }
  std::span<const double> counts(const Pattern& pattern) const {
    return std::span(counts_).subspan(pattern.first_answer, pattern.answers);
  }
  // How many reports a class has with each set of the attributes, and the coordinate sets that they cover.
  std::vector<SampledView::Block> take_blocks() { return std::move(blocks_); }

 private:
  friend class WidePatternsBuilder;
  WidePatterns() = default;

  std::vector<Pattern> patterns_;
  std::vector<SampledView::Term> terms_;
  std::vector<std::uint32_t> answers_;
  std::vector<double> counts_;
  std::vector<SampledView::Block> blocks_;
};

}  // namespace hearsay::estimator
