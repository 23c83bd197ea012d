// How often the values of two attributes occur together within a query's two classes, counted over records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::compiler {

class JointCounts {
 public:
  // `levels`: per attribute, how many values (or sets of values) are told apart. Memory: the products of all pairs.
  explicit JointCounts(std::vector<std::uint32_t> levels);

  std::size_t attributes() const { return levels_.size(); }
  std::uint32_t levels(std::size_t attribute) const { return levels_[attribute]; }

  // `count` more members of class b.
  void add_members(bool b, std::uint32_t count) { members_[b ? 1 : 0] += count; }
  // `count` more members of class b that have these levels on the attributes i < j.
  void add_pair(bool b, std::size_t i, std::size_t j, std::uint32_t level_i, std::uint32_t level_j,
                std::uint32_t count) {
    pairs_[b ? 1 : 0][first_[pair(i, j)] + std::size_t{level_i} * levels_[j] + level_j] += count;
  }
  // One member, by its level on every attribute.
  void add(bool b, std::span<const std::uint32_t> record);

  std::uint32_t members(bool b) const { return members_[b ? 1 : 0]; }
  // Of i < j: row-major, the level of i is the row.
  std::span<const std::uint32_t> table(bool b, std::size_t i, std::size_t j) const;
  // Pr[level | class b] of one attribute. At least two attributes and one member.
  std::vector<double> law(bool b, std::size_t attribute) const;

 private:
  static std::size_t pair(std::size_t i, std::size_t j) { return j * (j - 1) / 2 + i; }

  std::vector<std::uint32_t> levels_;
  std::vector<std::size_t> first_;  // of each pair's table
  std::array<std::uint32_t, 2> members_{0, 0};
  std::array<std::vector<std::uint32_t>, 2> pairs_;
};

}  // namespace hearsay::compiler
