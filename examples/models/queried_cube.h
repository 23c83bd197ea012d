// The product of the attributes that the queries mention. A central release needs to count only the cells of this
// product.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hearsay/query.h"

namespace hearsay::examples {

// A cell is a combination of values of the mentioned attributes. In the numbering of the cells, the last mentioned
// attribute's value runs fastest. Immutable.
class QueriedCube {
 public:
  static constexpr std::uint64_t kMostCells = std::uint64_t{1} << 22U;
  static constexpr std::uint64_t kMostEvaluations = std::uint64_t{1} << 26U;  // of cells times queries

  // `queries` must not be empty. Errors: kDomainTooLarge. Cost: evaluates every query on every cell.
  static Result<QueriedCube> create(const Schema& schema, const std::vector<Query>& queries);

  const std::vector<std::uint32_t>& shape() const { return shape_; }
  std::size_t cells() const { return pattern_of_cell_.size(); }
  // Returns the record's values, or the cell's values, of the mentioned attributes.
  std::vector<std::uint32_t> coordinates(const Record& record) const;
  std::vector<std::uint32_t> coordinates(std::uint64_t cell) const;

  // The cells that satisfy query q, as maximal runs [first, last] of cells that differ only in the last coordinate.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs(std::size_t q) const { return runs_[q]; }

  // Cells that satisfy the same queries have the same pattern. Patterns are numbered from 0.
  std::size_t patterns() const { return patterns_; }
  std::uint32_t pattern_of(const Record& record) const;
  // satisfied()[q][p] is 1 if pattern p satisfies query q, otherwise 0.
  const std::vector<std::vector<std::uint32_t>>& satisfied() const { return satisfied_; }

 private:
  QueriedCube() = default;
  void split(std::size_t query, const std::vector<bool>& inside);

  std::vector<std::uint32_t> attributes_;
  std::vector<std::uint32_t> shape_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> runs_;
  std::vector<std::uint32_t> pattern_of_cell_;
  std::size_t patterns_ = 1;
  std::vector<std::vector<std::uint32_t>> satisfied_;
};

}  // namespace hearsay::examples
