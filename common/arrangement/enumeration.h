// Exact class laws by evaluating the query on every combination of values that it can tell apart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/arrangement/cells.h"
#include "common/arrangement/class_laws.h"
#include "common/arrangement/query_form.h"

namespace hearsay::compiler {

class Enumeration {
 public:
  static constexpr std::uint64_t kMaxCombinations = std::uint64_t{1} << 22U;

  // Nothing if there are more than kMaxCombinations combinations of cells; there are at most as many as of values.
  // Cost: a call of Query::evaluate per combination.
  static std::optional<Enumeration> create(const Query& query, const Schema& schema);

  // What the query turns out to be if it depends on at most one attribute, else Unstructured.
  QueryForm form() const;

  // Both need a query that is not constant. Counts are exact while the touched attributes have at most 2^64
  // combinations of values, and relatively accurate to 2^-64 a term beyond.
  ClassLaws laws() const;
  ScoreMoments moments(std::span<const AttributeScore> scores) const;

 private:
  Enumeration(const Query& query, const Schema& schema, std::vector<Cells> axes);
  bool depends_on(std::size_t axis) const;

  std::vector<Cells> axes_;
  std::vector<std::size_t> stride_;  // per axis: distance in table_ of neighbouring cells; the last axis has 1
  std::vector<std::uint8_t> table_;  // f
};

}  // namespace hearsay::compiler
