#include "aggregator/compiler/record_block.h"

#include <algorithm>
#include <bit>

#include "common/base/int128.h"
#include "common/query/value_set.h"
#include "common/query/visit.h"

namespace hearsay::compiler {

RecordBlock::RecordBlock(const std::vector<Cells>& axes) : axes_(axes), columns_(axes.size()) {}

void RecordBlock::set_cell(std::size_t axis, std::uint32_t record, std::uint32_t cell) {
  if (!is_pair(axis)) {
    cells(axis)[record] = cell;
    return;
  }
  const std::uint64_t bit = std::uint64_t{1} << record;
  second(axis) = cell == 1 ? second(axis) | bit : second(axis) & ~bit;
}

BlockQuery::BlockQuery(const Query& query, std::size_t attributes, const std::vector<Cells>& axes)
    : query_(query), axes_(axes), axis_of_(attributes, kNoAxis) {
  for (std::uint32_t axis = 0; axis < axes.size(); ++axis) {
    axis_of_[axes[axis].attribute] = axis;
    auto& smallest = smallest_.emplace_back(axes[axis].size.size());
    const auto& cell_of = axes[axis].cell_of;
    for (std::size_t v = cell_of.size(); v-- > 0;) smallest[cell_of[v]] = static_cast<std::uint32_t>(v);
  }
}

std::uint64_t BlockQuery::evaluate(const Query& query, const RecordBlock& block) const {
  return std::visit(query::Visitor{
                        [&](const query::Membership& m) { return membership(m, block); },
                        [&](const query::Linear& l) { return linear(l, block); },
                        [&](const query::AtLeast& a) { return at_least(a, block); },
                        [&](const query::DecisionList& d) { return decision_list(d, block); },
                        [&](const query::Not& n) { return ~evaluate(*n.operand, block); },
                        [&](const query::And& a) {
                          std::uint64_t all = ~std::uint64_t{0};
                          for (const Query& operand : a.operands) all &= evaluate(operand, block);
                          return all;
                        },
                        [&](const query::Or& o) {
                          std::uint64_t any = 0;
                          for (const Query& operand : o.operands) any |= evaluate(operand, block);
                          return any;
                        },
                    },
                    query.node());
}

std::uint64_t BlockQuery::membership(const query::Membership& node, const RecordBlock& block) const {
  const std::uint32_t axis = axis_of_[node.attribute];
  // All values of the attribute are in one cell.
  if (axis == kNoAxis) return node.values.empty() ? 0 : ~std::uint64_t{0};
  const std::vector<std::uint32_t>& smallest = smallest_[axis];
  std::uint64_t inside = 0;
  if (block.is_pair(axis)) {
    if (query::contains(node.values, smallest[0])) inside |= ~block.second(axis);
    if (query::contains(node.values, smallest[1])) inside |= block.second(axis);
    return inside;
  }
  const RecordBlock::Numbers& cells = block.cells(axis);
  for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) {
    inside |= std::uint64_t{query::contains(node.values, smallest[cells[r]])} << r;
  }
  return inside;
}

// Every value is a cell of its own. The sum of coefficient·(value index) fits into 64 bits: coefficients are at most
// 2^31, and the attributes of the sum together have fewer than 2^25 values. Σ coefficient·origin may not fit (an origin
// is an attribute's least number). So the code subtracts this sum from the bound, an Int128.
std::uint64_t BlockQuery::linear(const query::Linear& node, const RecordBlock& block) const {
  std::array<std::int64_t, RecordBlock::kRecords> sum{};
  Int128 needed = node.bound;
  for (const auto& [coefficient, attribute, origin] : node.terms) {
    needed -= Int128{coefficient} * origin;
    const std::uint32_t axis = axis_of_[attribute];
    if (axis == kNoAxis) continue;  // the attribute has one value
    if (block.is_pair(axis)) {
      const std::uint64_t second = block.second(axis);
      for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) {
        sum[r] += coefficient & -static_cast<std::int64_t>(second >> r & 1U);
      }
    } else {
      const RecordBlock::Numbers& cells = block.cells(axis);
      for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) sum[r] += coefficient * std::int64_t{cells[r]};
    }
  }
  std::uint64_t reached = 0;
  for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) reached |= std::uint64_t{sum[r] >= needed} << r;
  return reached;
}

// Counts, for each record, the operands that hold. Word i has binary digit i of all 64 counts, so one addition serves
// all records.
std::uint64_t BlockQuery::at_least(const query::AtLeast& node, const RecordBlock& block) const {
  std::vector<std::uint64_t> digits;  // lowest first
  for (const Query& operand : node.operands) {
    std::uint64_t carry = evaluate(operand, block);
    for (std::uint64_t& digit : digits) {
      const std::uint64_t both = digit & carry;
      digit ^= carry;
      carry = both;
    }
    if (carry != 0) digits.push_back(carry);
  }
  // Bit r says whether the lower digits of record r's count are at least those of node.count.
  std::uint64_t reached = ~std::uint64_t{0};
  const std::size_t places = std::max<std::size_t>(digits.size(), std::bit_width(node.count));
  for (std::size_t i = 0; i < places; ++i) {
    const std::uint64_t digit = i < digits.size() ? digits[i] : 0;
    reached = (node.count >> i & 1U) != 0 ? reached & digit : reached | digit;
  }
  return reached;
}

std::uint64_t BlockQuery::decision_list(const query::DecisionList& node, const RecordBlock& block) const {
  std::uint64_t yes = 0;
  std::uint64_t open = ~std::uint64_t{0};
  for (const auto& [condition, label] : node.items) {
    const std::uint64_t decided = open & evaluate(condition, block);
    if (label) yes |= decided;
    open &= ~decided;
  }
  return node.otherwise ? yes | open : yes;
}

std::uint64_t BlockQuery::steps_of(const Query& query) const {
  constexpr std::uint64_t kNode = 8;
  const auto axis_steps = [&](std::uint32_t attribute, std::uint64_t of_value) {
    const std::uint32_t axis = axis_of_[attribute];
    return axis == kNoAxis || axes_[axis].size.size() == 2 ? 0 : RecordBlock::kRecords * of_value;
  };
  const auto each = [&](const std::vector<Query>& operands) {
    std::uint64_t steps = kNode;
    for (const Query& operand : operands) steps += steps_of(operand);
    return steps;
  };
  return std::visit(query::Visitor{
                        [&](const query::Membership& m) {
                          return kNode + axis_steps(m.attribute, 4 + std::bit_width(m.values.size()));
                        },
                        [&](const query::Linear& l) { return (l.terms.size() + 2) * RecordBlock::kRecords; },
                        [&](const query::Not& n) { return kNode + steps_of(*n.operand); },
                        [&](const query::And& a) { return each(a.operands); },
                        [&](const query::Or& o) { return each(o.operands); },
                        [&](const query::AtLeast& a) { return each(a.operands) + kNode * a.operands.size(); },
                        [&](const query::DecisionList& d) {
                          std::uint64_t steps = kNode;
                          for (const auto& item : d.items) steps += kNode + steps_of(item.condition);
                          return steps;
                        },
                    },
                    query.node());
}

}  // namespace hearsay::compiler
