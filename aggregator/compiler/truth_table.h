// A query's answer for every combination of values that it can tell apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/compiler/cells.h"

namespace hearsay::compiler {

class TruthTable {
 public:
  // `axes`: the query's distinguished cells. Nothing if there are more than max_combinations combinations of cells;
  // there are at most as many as of values. Cost: an evaluation of the query per combination.
  static std::optional<TruthTable> create(const Query& query, const Schema& schema, std::vector<Cells> axes,
                                          std::uint64_t max_combinations);

  const std::vector<Cells>& axes() const { return axes_; }
  // Distance of an axis's neighbouring cells in the table; the last axis has 1.
  std::size_t stride(std::size_t axis) const { return stride_[axis]; }
  // f, 0 or 1.
  std::span<const std::uint8_t> table() const { return table_; }
  // Whether f depends on the axis's attribute.
  bool depends_on(std::size_t axis) const;

 private:
  explicit TruthTable(std::vector<Cells> axes) : axes_(std::move(axes)), stride_(axes_.size()) {}
  void fill(const Query& query, const Schema& schema);

  std::vector<Cells> axes_;
  std::vector<std::size_t> stride_;
  std::vector<std::uint8_t> table_;
};

}  // namespace hearsay::compiler
