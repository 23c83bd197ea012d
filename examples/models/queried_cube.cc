#include "examples/models/queried_cube.h"

#include <set>
#include <string>

namespace hearsay::examples {

Result<QueriedCube> QueriedCube::create(const Schema& schema, const std::vector<Query>& queries) {
  std::set<std::uint32_t> mentioned;
  for (const Query& query : queries) {
    for (const std::uint32_t attribute : query.attributes()) mentioned.insert(attribute);
  }
  QueriedCube cube;
  std::uint64_t cells = 1;
  for (const std::uint32_t attribute : mentioned) {
    cube.attributes_.push_back(attribute);
    cube.shape_.push_back(schema[attribute].size());
    cells *= schema[attribute].size();  // below 2^22·2^20
    if (cells > kMostCells || cells * queries.size() > kMostEvaluations) {
      return Error{
          ErrorCode::kDomainTooLarge,
          "the attributes of the queries have too many combinations (2^22, and 2^26 over the number of queries)"};
    }
  }
  cube.pattern_of_cell_.assign(cells, 0);
  std::vector<std::uint32_t> values(schema.size(), 0);
  const std::uint32_t length = cube.shape_.back();
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::vector<bool> inside(cells);
    auto& runs = cube.runs_.emplace_back();
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      inside[cell] = queries[q].evaluate(values);
      if (inside[cell] && cell % length != 0 && inside[cell - 1]) {
        runs.back().second = cell;
      } else if (inside[cell]) {
        runs.emplace_back(cell, cell);
      }
      for (std::size_t i = cube.shape_.size(); i-- > 0;) {
        if (++values[cube.attributes_[i]] < cube.shape_[i]) break;
        values[cube.attributes_[i]] = 0;
      }
    }
    cube.split(q, inside);
  }
  return cube;
}

// Splits every pattern into the cells that satisfy the query and the cells that do not. Keeps the parts with cells.
void QueriedCube::split(std::size_t query, const std::vector<bool>& inside) {
  constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(2 * patterns_, kUnseen);
  std::vector<std::vector<std::uint32_t>> satisfied(query + 1);
  std::uint32_t count = 0;
  for (std::size_t cell = 0; cell < inside.size(); ++cell) {
    const std::uint32_t old = pattern_of_cell_[cell];
    std::uint32_t& renumbered = number[2 * old + (inside[cell] ? 1 : 0)];
    if (renumbered == kUnseen) {
      renumbered = count++;
      for (std::size_t q = 0; q < query; ++q) satisfied[q].push_back(satisfied_[q][old]);
      satisfied[query].push_back(inside[cell] ? 1 : 0);
    }
    pattern_of_cell_[cell] = renumbered;
  }
  patterns_ = count;
  satisfied_ = std::move(satisfied);
}

std::vector<std::uint32_t> QueriedCube::coordinates(const Record& record) const {
  std::vector<std::uint32_t> result;
  result.reserve(attributes_.size());
  for (const std::uint32_t attribute : attributes_) result.push_back(record[attribute]);
  return result;
}

std::vector<std::uint32_t> QueriedCube::coordinates(std::uint64_t cell) const {
  std::vector<std::uint32_t> result(shape_.size());
  for (std::size_t i = shape_.size(); i-- > 0;) {
    result[i] = static_cast<std::uint32_t>(cell % shape_[i]);
    cell /= shape_[i];
  }
  return result;
}

std::uint32_t QueriedCube::pattern_of(const Record& record) const {
  std::size_t cell = 0;
  for (std::size_t i = 0; i < shape_.size(); ++i) cell = cell * shape_[i] + record[attributes_[i]];
  return pattern_of_cell_[cell];
}

}  // namespace hearsay::examples
