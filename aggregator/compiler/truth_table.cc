#include "aggregator/compiler/truth_table.h"

#include <algorithm>

namespace hearsay::compiler {

std::optional<TruthTable> TruthTable::create(const Query& query, const Schema& schema, std::vector<Cells> axes,
                                             std::uint64_t max_combinations) {
  std::uint64_t combinations = 1;
  for (const Cells& axis : axes) {
    combinations *= axis.size.size();
    if (combinations > max_combinations) return std::nullopt;
  }
  TruthTable result(std::move(axes));
  std::size_t stride = 1;
  for (std::size_t i = result.axes_.size(); i-- > 0;) {
    result.stride_[i] = stride;
    stride *= result.axes_[i].size.size();
  }
  result.table_.resize(combinations);
  result.fill(query, schema);
  return result;
}

// A record of each combination stands for all, by the smallest values of its cells. The last axis's cell runs fastest.
void TruthTable::fill(const Query& query, const Schema& schema) {
  std::vector<std::vector<std::uint32_t>> smallest;  // per axis and cell
  for (const Cells& axis : axes_) {
    auto& of_cell = smallest.emplace_back(axis.size.size());
    for (std::size_t v = axis.cell_of.size(); v-- > 0;) of_cell[axis.cell_of[v]] = static_cast<std::uint32_t>(v);
  }
  std::vector<std::size_t> cell(axes_.size(), 0);
  std::vector<std::uint32_t> values(schema.size(), 0);
  for (std::uint8_t& entry : table_) {
    entry = query.evaluate(values) ? 1 : 0;
    for (std::size_t i = axes_.size(); i-- > 0;) {
      const bool wraps = ++cell[i] == smallest[i].size();
      if (wraps) cell[i] = 0;
      values[axes_[i].attribute] = smallest[i][cell[i]];
      if (!wraps) break;
    }
  }
}

bool TruthTable::depends_on(std::size_t axis) const {
  const std::size_t stride = stride_[axis];
  const std::size_t cells = axes_[axis].size.size();
  for (auto block = table_.begin(); block != table_.end(); block += static_cast<std::ptrdiff_t>(stride * cells)) {
    for (std::size_t cell = 1; cell < cells; ++cell) {
      const auto other = block + static_cast<std::ptrdiff_t>(stride * cell);
      if (!std::equal(block, block + static_cast<std::ptrdiff_t>(stride), other)) return true;
    }
  }
  return false;
}

}  // namespace hearsay::compiler
