#include "aggregator/compiler/joint_counts.h"

namespace hearsay::compiler {

JointCounts::JointCounts(std::vector<std::uint32_t> levels) : levels_(std::move(levels)) {
  std::size_t cells = 0;
  for (std::size_t j = 1; j < levels_.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      first_.push_back(cells);
      cells += std::size_t{levels_[i]} * levels_[j];
    }
  }
  for (auto& pairs : pairs_) pairs.resize(cells);
}

void JointCounts::add(bool b, std::span<const std::uint32_t> record) {
  add_members(b, 1);
  for (std::size_t j = 1; j < record.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) add_pair(b, i, j, record[i], record[j], 1);
  }
}

std::span<const std::uint32_t> JointCounts::table(bool b, std::size_t i, std::size_t j) const {
  return std::span(pairs_[b ? 1 : 0]).subspan(first_[pair(i, j)], std::size_t{levels_[i]} * levels_[j]);
}

std::vector<double> JointCounts::law(bool b, std::size_t attribute) const {
  std::vector<double> law(levels_[attribute], 0);
  const bool is_row = attribute == 0;  // of the table of the attributes 0 and 1; else column of that of 0 and itself
  const std::size_t column = is_row ? 1 : attribute;
  const auto counts = table(b, 0, column);
  for (std::size_t at = 0; at < counts.size(); ++at) {
    law[is_row ? at / levels_[column] : at % levels_[column]] += static_cast<double>(counts[at]) / members(b);
  }
  return law;
}

}  // namespace hearsay::compiler
