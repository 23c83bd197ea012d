#include "aggregator/compiler/record_averages.h"

namespace hearsay::compiler {

LawAverages::LawAverages(const std::vector<Cells>& axes) : axes_(axes) {
  for (const Cells& axis : axes) {
    for (auto& of_class : count_) of_class.emplace_back(axis.size.size(), 0);
  }
}

void LawAverages::add(bool f, std::span<const std::uint32_t> values) {
  const std::size_t b = f ? 1 : 0;
  ++members_[b];
  for (std::size_t i = 0; i < axes_.size(); ++i) ++count_[b][i][axes_[i].cell_of[values[axes_[i].attribute]]];
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
  for (const Cells& cells : axes) {
    if (score == scores.end() || score->attribute != cells.attribute) continue;
    CellScores of_cell{cells, std::vector<double>(cells.size.size(), 0), std::vector<double>(cells.size.size(), 0)};
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

void MomentAverages::add(bool f, std::span<const std::uint32_t> values) {
  Sums& sums = sums_[f ? 1 : 0];
  long double value = 0;
  for (const auto& [cells, mean, variance] : scores_) {
    const std::uint32_t cell = cells.cell_of[values[cells.attribute]];
    value += mean[cell];
    sums.within += variance[cell];
  }
  ++sums.count;
  const long double deviation = value - sums.mean;
  sums.mean += deviation / sums.count;
  sums.squares += deviation * (value - sums.mean);
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
