#include "aggregator/compiler/record_averages.h"

#include <bit>

namespace hearsay::compiler {

LawAverages::LawAverages(const std::vector<Cells>& axes) : axes_(axes) {
  for (const Cells& axis : axes) {
    for (auto& of_class : count_) of_class.emplace_back(axis.size.size(), 0);
  }
}

void LawAverages::add(const RecordBlock& block, const ClassWords& classes) {
  for (std::size_t b = 0; b < 2; ++b) {
    const auto members = static_cast<std::uint32_t>(std::popcount(classes[b]));
    members_[b] += members;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (!block.is_pair(i)) {
        for (std::uint64_t rest = classes[b]; rest != 0; rest &= rest - 1) {
          ++count_[b][i][block.cells(i)[static_cast<std::size_t>(std::countr_zero(rest))]];
        }
        continue;
      }
      const auto second = static_cast<std::uint32_t>(std::popcount(block.second(i) & classes[b]));
      count_[b][i][0] += members - second;
      count_[b][i][1] += second;
    }
  }
}

ClassLaws LawAverages::laws() const {
  ClassLaws laws;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    AttributeLaw law{axes_[i].attribute, {}};
    for (std::size_t b = 0; b < 2; ++b) {
      for (const std::uint32_t cell : axes_[i].cell_of) {
        law.probability[b].push_back(static_cast<double>(count_[b][i][cell]) / members_[b] / axes_[i].size[cell]);
      }
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

MomentAverages::MomentAverages(const std::vector<Cells>& axes, std::span<const AttributeScore> scores) {
  auto score = scores.begin();
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const Cells& cells = axes[axis];
    if (score == scores.end() || score->attribute != cells.attribute) continue;
    CellScores of_cell{axis, std::vector<double>(cells.size.size(), 0), std::vector<double>(cells.size.size(), 0)};
    for (std::size_t v = 0; v < score->score.size(); ++v) {
      of_cell.mean[cells.cell_of[v]] += score->score[v] / cells.size[cells.cell_of[v]];
    }
    for (std::size_t v = 0; v < score->score.size(); ++v) {
      const double deviation = score->score[v] - of_cell.mean[cells.cell_of[v]];
      of_cell.variance[cells.cell_of[v]] += deviation * deviation / cells.size[cells.cell_of[v]];
    }
    scores_.push_back(std::move(of_cell));
    ++score;
  }
}

void MomentAverages::add(const RecordBlock& block, const ClassWords& classes) {
  std::array<double, RecordBlock::kRecords> value{};
  std::array<double, RecordBlock::kRecords> within{};
  for (const auto& [axis, mean, variance] : scores_) {
    for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) {
      const std::uint32_t cell = block.cell(axis, r);
      value[r] += mean[cell];
      within[r] += variance[cell];
    }
  }
  for (std::size_t b = 0; b < 2; ++b) {
    Sums& sums = sums_[b];
    for (std::uint64_t rest = classes[b]; rest != 0; rest &= rest - 1) {
      const auto r = static_cast<std::size_t>(std::countr_zero(rest));
      sums.within += within[r];
      ++sums.count;
      const long double deviation = value[r] - sums.mean;
      sums.mean += deviation / sums.count;
      sums.squares += deviation * (value[r] - sums.mean);
    }
  }
}

ScoreMoments MomentAverages::moments() const {
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    const long double between = sums_[b].squares / (sums_[b].count - 1);
    moments.mean[b] = static_cast<double>(sums_[b].mean);
    moments.variance[b] = static_cast<double>(between + sums_[b].within / sums_[b].count);
    moments.mean_variance[b] = static_cast<double>(between / sums_[b].count);
  }
  return moments;
}

}  // namespace hearsay::compiler
