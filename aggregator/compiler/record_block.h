// Evaluates a query on 64 records at once: the answers are the bits of one 64-bit word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/cells.h"
#include "hearsay/query.h"

namespace hearsay::compiler {

// The cells of up to 64 records. Bit r of a word belongs to record r. The axes must outlive the block.
class RecordBlock {
 public:
  static constexpr std::uint32_t kRecords = 64;
  using Numbers = std::array<std::uint32_t, kRecords>;

  explicit RecordBlock(const std::vector<Cells>& axes);

  const std::vector<Cells>& axes() const { return axes_; }
  // Returns true if the axis has two cells. Then second() is a word that says which records are in the second cell.
  bool is_pair(std::size_t axis) const { return axes_[axis].size.size() == 2; }
  std::uint64_t& second(std::size_t axis) { return columns_[axis].second; }
  std::uint64_t second(std::size_t axis) const { return columns_[axis].second; }
  // Returns the records' cells on an axis that is not a pair.
  Numbers& cells(std::size_t axis) { return columns_[axis].cells; }
  const Numbers& cells(std::size_t axis) const { return columns_[axis].cells; }

  std::uint32_t cell(std::size_t axis, std::uint32_t record) const {
    return is_pair(axis) ? (second(axis) >> record & 1U) : cells(axis)[record];
  }
  void set_cell(std::size_t axis, std::uint32_t record, std::uint32_t cell);

 private:
  struct Column {
    std::uint64_t second = 0;
    Numbers cells{};
  };
  const std::vector<Cells>& axes_;
  std::vector<Column> columns_;
};

// Element b is a word that says which records of a block have f = b, where f is the query's answer, 0 or 1. Bits beyond
// the block's records are 0.
using ClassWords = std::array<std::uint64_t, 2>;

// Evaluates a query on blocks. The query must have one answer on each combination of the axes' cells
// (distinguished_cells()).
class BlockQuery {
 public:
  // `attributes` is the number of the schema's attributes. The query and the axes must outlive this object.
  BlockQuery(const Query& query, std::size_t attributes, const std::vector<Cells>& axes);

  // Returns f, one bit for each record.
  std::uint64_t evaluate(const RecordBlock& block) const { return evaluate(query_, block); }
  // Returns the steps of one evaluation.
  std::uint64_t steps() const { return steps_of(query_); }

 private:
  static constexpr std::uint32_t kNoAxis = UINT32_MAX;

  std::uint64_t evaluate(const Query& query, const RecordBlock& block) const;
  std::uint64_t membership(const query::Membership& node, const RecordBlock& block) const;
  std::uint64_t linear(const query::Linear& node, const RecordBlock& block) const;
  std::uint64_t at_least(const query::AtLeast& node, const RecordBlock& block) const;
  std::uint64_t decision_list(const query::DecisionList& node, const RecordBlock& block) const;
  std::uint64_t steps_of(const Query& query) const;

  const Query& query_;
  const std::vector<Cells>& axes_;
  std::vector<std::uint32_t> axis_of_;                // per attribute
  std::vector<std::vector<std::uint32_t>> smallest_;  // per axis and cell: the smallest value of the cell
};

}  // namespace hearsay::compiler
