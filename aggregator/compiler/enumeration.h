// Exact class laws by evaluating the query on every combination of values that it can tell apart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/compiler/class_laws.h"
#include "aggregator/compiler/query_form.h"
#include "aggregator/compiler/truth_table.h"

namespace hearsay::compiler {

class Enumeration {
 public:
  static constexpr std::uint64_t kMaxCombinations = std::uint64_t{1} << 22U;

  // Evaluating the query on all combinations takes at most so many steps, half a second.
  static constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 29U;

  // Nothing if there are more than kMaxCombinations combinations of cells (there are at most as many as of values), or
  // if the query is so long that all take more than kMaxSteps.
  static std::optional<Enumeration> create(const Query& query, const Schema& schema, Work& work);

  // What the query turns out to be if it depends on at most one attribute, else Unstructured.
  QueryForm form(Work& work) const;

  // Both need a query that is not constant. Counts are exact while the touched attributes have at most 2^53
  // combinations of values; beyond that they are sums of positive terms, accurate to about 10^-15.
  ClassLaws laws(Work& work) const;
  ScoreMoments moments(std::span<const AttributeScore> scores, Work& work) const;
  // Of moments().
  static constexpr std::uint64_t kStepsPerCombination = 8;

 private:
  explicit Enumeration(TruthTable truth) : truth_(std::move(truth)) {}
  TruthTable truth_;
};

}  // namespace hearsay::compiler
