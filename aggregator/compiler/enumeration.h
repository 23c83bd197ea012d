// Computes exact class laws (class_laws.h) by evaluating the query on every combination of values that the query tells
// apart.
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

  // The most steps that an evaluation on all combinations may take.
  static constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 29U;

  // Returns nothing if there are more than kMaxCombinations combinations of cells, or if evaluating the query on all
  // combinations takes more than kMaxSteps steps.
  static std::optional<Enumeration> create(const Query& query, const Schema& schema, Work& work);

  // Returns the query as a predicate or a constant if it depends on at most one attribute. Otherwise returns
  // Unstructured.
  QueryForm form(Work& work) const;

  // laws() and moments() need a query that is not constant. Both functions count records exactly if the touched
  // attributes have at most 2^53 combinations of values. With more combinations, counts have a relative error of about
  // 10^-15.
  ClassLaws laws(Work& work) const;
  ScoreMoments moments(std::span<const AttributeScore> scores, Work& work) const;
  // Steps of Work that moments() takes for each combination.
  static constexpr std::uint64_t kStepsPerCombination = 8;

 private:
  explicit Enumeration(TruthTable truth) : truth_(std::move(truth)) {}
  TruthTable truth_;
};

}  // namespace hearsay::compiler
