// A query evaluated on 64 records at once, a bit of a word for each: exact class laws by enumeration, and sampled ones,
// need millions of evaluations.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aggregator/compiler/cells.h"
#include "hearsay/query.h"
#include "hearsay/schema.h"

namespace hearsay::compiler {

class Lanes {
 public:
  static constexpr std::size_t kCount = 64;

  // Records as far as the query tells them apart, by their cells.
  Lanes(const Query& query, const Schema& schema, std::vector<Cells> axes);

  const std::vector<Cells>& axes() const { return axes_; }

  // Forgets the cells of an axis; then every lane must be put into one.
  void clear(std::size_t axis);
  // Puts the lanes of the mask into a cell.
  void put(std::size_t axis, std::uint32_t cell, std::uint64_t mask);

  // The cells that lanes are in, and the mask of the lanes in a cell.
  const std::vector<std::uint32_t>& occupied(std::size_t axis) const { return columns_[axis].occupied; }
  std::uint64_t in_cell(std::size_t axis, std::uint32_t cell) const { return columns_[axis].mask[cell]; }

  // f, a bit per lane.
  std::uint64_t evaluate() const { return evaluate(query_); }

 private:
  struct Column {
    std::vector<std::uint32_t> member;    // of each cell, some value
    std::vector<std::uint64_t> mask;      // per cell
    std::vector<std::uint32_t> occupied;  // cells with a non-zero mask
  };
  static constexpr std::uint32_t kNoAxis = UINT32_MAX;

  std::uint64_t evaluate(const Query& query) const;
  std::uint64_t evaluate(const query::Membership& node) const;
  std::uint64_t evaluate(const query::AtLeast& node) const;
  std::uint64_t evaluate(const query::Linear& node) const;
  std::uint64_t evaluate(const query::DecisionList& node) const;

  Query query_;
  std::vector<Cells> axes_;
  std::vector<Column> columns_;         // per axis
  std::vector<std::uint32_t> axis_of_;  // per attribute
};

}  // namespace hearsay::compiler
