#include "aggregator/compiler/lanes.h"

#include <bit>

#include "common/base/int128.h"
#include "common/query/value_set.h"
#include "common/query/visit.h"

namespace hearsay::compiler {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

Lanes::Lanes(const Query& query, const Schema& schema, std::vector<Cells> axes)
    : query_(query), axes_(std::move(axes)), axis_of_(schema.size(), kNoAxis) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    axis_of_[axes_[i].attribute] = static_cast<std::uint32_t>(i);
    Column column;
    column.member.resize(axes_[i].size.size());
    column.mask.resize(axes_[i].size.size(), 0);
    for (std::uint32_t v = 0; v < axes_[i].cell_of.size(); ++v) column.member[axes_[i].cell_of[v]] = v;
    columns_.push_back(std::move(column));
  }
}

void Lanes::clear(std::size_t axis) {
  Column& column = columns_[axis];
  for (const std::uint32_t cell : column.occupied) column.mask[cell] = 0;
  column.occupied.clear();
}

void Lanes::put(std::size_t axis, std::uint32_t cell, std::uint64_t mask) {
  Column& column = columns_[axis];
  if (mask == 0) return;
  if (column.mask[cell] == 0) column.occupied.push_back(cell);
  column.mask[cell] |= mask;
}

std::uint64_t Lanes::evaluate(const Query& query) const {
  return std::visit(query::Visitor{
                        [&](const query::Not& n) { return ~evaluate(*n.operand); },
                        [&](const query::And& a) {
                          std::uint64_t held = kAll;
                          for (auto operand = a.operands.begin(); operand != a.operands.end() && held != 0; ++operand) {
                            held &= evaluate(*operand);
                          }
                          return held;
                        },
                        [&](const query::Or& o) {
                          std::uint64_t held = 0;
                          for (auto operand = o.operands.begin(); operand != o.operands.end() && held != kAll;
                               ++operand) {
                            held |= evaluate(*operand);
                          }
                          return held;
                        },
                        [&](const auto& node) { return evaluate(node); },
                    },
                    query.node());
}

std::uint64_t Lanes::evaluate(const query::Membership& node) const {
  const std::uint32_t axis = axis_of_[node.attribute];
  if (axis == kNoAxis) return query::contains(node.values, 0) ? kAll : 0;  // all values are alike
  const Column& column = columns_[axis];
  std::uint64_t held = 0;
  for (const std::uint32_t cell : column.occupied) {
    if (query::contains(node.values, column.member[cell])) held |= column.mask[cell];
  }
  return held;
}

// The lanes' counts are kept in binary, bit i of all of them in digits[i].
std::uint64_t Lanes::evaluate(const query::AtLeast& node) const {
  std::array<std::uint64_t, 32> digits{};
  for (const Query& operand : node.operands) {
    std::uint64_t carry = evaluate(operand);
    for (std::size_t i = 0; carry != 0; ++i) {
      const std::uint64_t both = digits[i] & carry;
      digits[i] ^= carry;
      carry = both;
    }
  }
  std::uint64_t greater = 0;
  std::uint64_t equal = kAll;
  for (std::size_t i = digits.size(); i-- > 0;) {
    if ((node.count >> i & 1U) != 0) {
      equal &= digits[i];
    } else {
      greater |= equal & digits[i];
      equal &= ~digits[i];
    }
  }
  return greater | equal;
}

// In a sum every value is a cell. |coefficient·index| <= 2^31·2^20, 4096 times.
std::uint64_t Lanes::evaluate(const query::Linear& node) const {
  Int128 constant = 0;
  std::array<std::int64_t, kCount> sum{};
  for (const auto& [coefficient, attribute, origin] : node.terms) {
    constant += Int128{coefficient} * origin;
    const Column& column = columns_[axis_of_[attribute]];
    for (const std::uint32_t cell : column.occupied) {
      const std::int64_t product = coefficient * std::int64_t{column.member[cell]};
      for (std::uint64_t mask = column.mask[cell]; mask != 0; mask &= mask - 1) {
        sum[static_cast<std::size_t>(std::countr_zero(mask))] += product;
      }
    }
  }
  std::uint64_t held = 0;
  for (std::size_t lane = 0; lane < kCount; ++lane) {
    if (constant + sum[lane] >= node.bound) held |= std::uint64_t{1} << lane;
  }
  return held;
}

std::uint64_t Lanes::evaluate(const query::DecisionList& node) const {
  std::uint64_t held = 0;
  std::uint64_t open = kAll;
  for (const auto& [condition, label] : node.items) {
    const std::uint64_t decided = open & evaluate(condition);
    if (label) held |= decided;
    open &= ~decided;
    if (open == 0) break;
  }
  return node.otherwise ? held | open : held;
}

}  // namespace hearsay::compiler
