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

  // Nothing if there are more than kMaxCombinations combinations of cells; there are at most as many as of values.
  // Cost: an evaluation of the query per combination.
  static std::optional<Enumeration> create(const Query& query, const Schema& schema);

  // What the query turns out to be if it depends on at most one attribute, else Unstructured.
  QueryForm form() const;

  // Both need a query that is not constant. Counts are exact while the touched attributes have at most 2^53
  // combinations of values; beyond that they are sums of positive terms, accurate to about 10^-15.
  ClassLaws laws() const;
  ScoreMoments moments(std::span<const AttributeScore> scores) const;

 private:
  explicit Enumeration(TruthTable truth) : truth_(std::move(truth)) {}
  TruthTable truth_;
};

}  // namespace hearsay::compiler
