// A query's answer for every combination of cells. A cell is a group of an attribute's values that the query treats
// alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/cells.h"
#include "aggregator/compiler/record_block.h"
#include "aggregator/compiler/work.h"

namespace hearsay::compiler {

class TruthTable {
 public:
  // Evaluates the query on every combination. `axes` are the query's distinguished_cells(). Call Work::foresee() with
  // cost() first.
  static TruthTable create(const Query& query, const Schema& schema, std::vector<Cells> axes, Work& work);
  static Cost cost(const Query& query, const Schema& schema, const std::vector<Cells>& axes);
  // Returns the number of combinations of cells, or the largest 64-bit number if there are more.
  static std::uint64_t combinations(const std::vector<Cells>& axes);

  const std::vector<Cells>& axes() const { return axes_; }
  // Returns the distance of an axis's neighbouring cells in the table; 1 for the last axis.
  std::size_t stride(std::size_t axis) const { return stride_[axis]; }
  // Returns f, 0 or 1, of every combination.
  std::span<const std::uint8_t> table() const { return table_; }
  // Returns true if f depends on the axis's attribute.
  bool depends_on(std::size_t axis, Work& work) const;

 private:
  explicit TruthTable(std::vector<Cells> axes) : axes_(std::move(axes)), stride_(axes_.size()) {}
  void fill(const Query& query, const Schema& schema, Work& work);
  RecordBlock::Numbers cells_from(std::size_t first, std::size_t axis) const;

  std::vector<Cells> axes_;
  std::vector<std::size_t> stride_;
  std::vector<std::uint8_t> table_;
};

}  // namespace hearsay::compiler
