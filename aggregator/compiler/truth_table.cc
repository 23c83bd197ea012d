#include "aggregator/compiler/truth_table.h"

#include <algorithm>

namespace hearsay::compiler {
namespace {

constexpr std::size_t kBlock = RecordBlock::kRecords;

std::uint64_t steps_of_block(const BlockQuery& query, std::size_t axes) { return query.steps() + axes * kBlock; }

}  // namespace

std::uint64_t TruthTable::combinations(const std::vector<Cells>& axes) {
  std::uint64_t combinations = 1;
  for (const Cells& axis : axes) combinations = saturated_product(combinations, axis.size.size());
  return combinations;
}

Cost TruthTable::cost(const Query& query, const Schema& schema, const std::vector<Cells>& axes) {
  const std::uint64_t steps = steps_of_block(BlockQuery(query, schema.size(), axes), axes.size());
  return {saturated_product(combinations(axes) / kBlock + 1, steps), combinations(axes)};
}

TruthTable TruthTable::create(const Query& query, const Schema& schema, std::vector<Cells> axes, Work& work) {
  TruthTable result(std::move(axes));
  std::size_t stride = 1;
  for (std::size_t i = result.axes_.size(); i-- > 0;) {
    result.stride_[i] = stride;
    stride *= result.axes_[i].size.size();
  }
  result.table_.resize(stride);
  result.fill(query, schema, work);
  return result;
}

// The last axis's cell changes fastest.
void TruthTable::fill(const Query& query, const Schema& schema, Work& work) {
  const BlockQuery f(query, schema.size(), axes_);
  const std::uint64_t steps = steps_of_block(f, axes_.size());
  RecordBlock block(axes_);
  for (std::size_t first = 0; first < table_.size(); first += kBlock) {
    work.spend(steps);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const RecordBlock::Numbers cells = cells_from(first, i);
      if (!block.is_pair(i)) {
        block.cells(i) = cells;
        continue;
      }
      block.second(i) = 0;
      for (std::size_t r = 0; r < kBlock; ++r) block.second(i) |= std::uint64_t{cells[r]} << r;
    }
    const std::uint64_t answers = f.evaluate(block);
    const std::size_t rest = std::min(kBlock, table_.size() - first);
    for (std::size_t r = 0; r < rest; ++r) table_[first + r] = static_cast<std::uint8_t>(answers >> r & 1U);
  }
}

RecordBlock::Numbers TruthTable::cells_from(std::size_t first, std::size_t axis) const {
  const auto cells = static_cast<std::uint32_t>(axes_[axis].size.size());
  auto cell = static_cast<std::uint32_t>(first / stride_[axis] % cells);
  std::size_t left = stride_[axis] - first % stride_[axis];
  RecordBlock::Numbers result;
  for (std::uint32_t& entry : result) {
    entry = cell;
    if (--left > 0) continue;
    left = stride_[axis];
    cell = cell + 1 == cells ? 0 : cell + 1;
  }
  return result;
}

bool TruthTable::depends_on(std::size_t axis, Work& work) const {
  const std::size_t stride = stride_[axis];
  const std::size_t cells = axes_[axis].size.size();
  for (auto block = table_.begin(); block != table_.end(); block += static_cast<std::ptrdiff_t>(stride * cells)) {
    work.spend(stride * cells / 4 + 1);
    for (std::size_t cell = 1; cell < cells; ++cell) {
      const auto other = block + static_cast<std::ptrdiff_t>(stride * cell);
      if (!std::equal(block, block + static_cast<std::ptrdiff_t>(stride), other)) return true;
    }
  }
  return false;
}

}  // namespace hearsay::compiler
