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
  Lanes lanes(query, schema, result.axes_);
  for (std::size_t begin = 0; begin < combinations; begin += Lanes::kCount) {
    for (std::size_t i = 0; i < result.axes_.size(); ++i) result.fill(lanes, i, begin);
    const std::uint64_t held = lanes.evaluate();
    const std::size_t end = std::min<std::size_t>(begin + Lanes::kCount, combinations);
    for (std::size_t at = begin; at < end; ++at) {
      result.table_[at] = static_cast<std::uint8_t>(held >> (at - begin) & 1U);
    }
  }
  return result;
}

// Along an axis the table has runs of `stride` entries of the same cell. Lanes beyond the table's end go on likewise.
void TruthTable::fill(Lanes& lanes, std::size_t axis, std::size_t begin) const {
  const std::size_t stride = stride_[axis];
  const bool as_before = begin != 0 && begin % stride >= Lanes::kCount && begin % stride + Lanes::kCount <= stride;
  if (as_before) return;  // the 64 entries before are in the same run
  const std::size_t cells = axes_[axis].size.size();
  lanes.clear(axis);
  for (std::size_t lane = 0; lane < Lanes::kCount;) {
    const std::size_t at = begin + lane;
    const std::size_t run = std::min(stride - at % stride, Lanes::kCount - lane);
    const std::uint64_t ones = run == Lanes::kCount ? ~std::uint64_t{0} : (std::uint64_t{1} << run) - 1;
    lanes.put(axis, static_cast<std::uint32_t>(at / stride % cells), ones << lane);
    lane += run;
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
