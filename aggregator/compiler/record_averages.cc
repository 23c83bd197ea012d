#include "aggregator/compiler/record_averages.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

MomentAverages::MomentAverages(const std::vector<Cells>& axes, std::span<const AttributeScore> scores) : laws_(axes) {
  auto score = scores.begin();
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const Cells& cells = axes[axis];
    if (score == scores.end() || score->attribute != cells.attribute) continue;
    CellScores of_cell{axis, std::vector<double>(cells.size.size(), 0), std::vector<double>(cells.size.size(), 0), 0};
    for (std::size_t v = 0; v < score->score.size(); ++v) {
      of_cell.mean[cells.cell_of[v]] += score->score[v] / cells.size[cells.cell_of[v]];
    }
    for (std::size_t v = 0; v < score->score.size(); ++v) {
      const double deviation = score->score[v] - of_cell.mean[cells.cell_of[v]];
      of_cell.variance[cells.cell_of[v]] += deviation * deviation / cells.size[cells.cell_of[v]];
    }
    const auto [least, largest] = std::ranges::minmax(of_cell.mean);
    of_cell.range = largest - least;
    scores_.push_back(std::move(of_cell));
    ++score;
  }
}

void MomentAverages::add(const RecordBlock& block, const ClassWords& classes) {
  laws_.add(block, classes);
  std::array<double, RecordBlock::kRecords> value{};
  std::array<double, RecordBlock::kRecords> within{};
  for (const CellScores& of : scores_) {
    if (!block.is_pair(of.axis)) {
      const RecordBlock::Numbers& cells = block.cells(of.axis);
      for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) {
        value[r] += of.mean[cells[r]];
        within[r] += of.variance[cells[r]];
      }
      continue;
    }
    const std::uint64_t second = block.second(of.axis);
    for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) value[r] += of.mean[second >> r & 1U];
    if (of.variance[0] == 0 && of.variance[1] == 0) continue;  // a boolean
    for (std::uint32_t r = 0; r < RecordBlock::kRecords; ++r) within[r] += of.variance[second >> r & 1U];
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

// Returns the standard deviation of a member's score that m sampled members may hide because they look alike. Let a
// share q of the class differ from the rest in an attribute. All m members look alike with probability (1-q)^m, which
// is 5 % at q = 3/m (the rule of three). So an attribute whose score has the range R counts with at least the variance
// 3R²/m. The function adds up the missing standard deviations of all attributes, as if the attributes differed in the
// same members.
//
// If all members are alike, the variance of the whole score, of range R, is 3R²/m. Then 1.96 standard errors are
// 3.39R/m. So the mean ± 1.96 standard errors misses the true mean only if q > 3.39/m. With such a q, all members look
// alike with probability at most 3.4 %. An attribute with two values, each in at least 4 members, adds nothing.
long double MomentAverages::unseen_deviation(std::size_t b) const {
  constexpr long double kUnseen = 3;
  const std::uint32_t members = sums_[b].count;
  long double sum = 0;
  for (const CellScores& of : scores_) {
    long double mean = 0;
    for (std::size_t cell = 0; cell < of.mean.size(); ++cell) mean += laws_.share(b, of.axis, cell) * of.mean[cell];
    long double variance = 0;
    for (std::size_t cell = 0; cell < of.mean.size(); ++cell) {
      const long double deviation = of.mean[cell] - mean;
      variance += laws_.share(b, of.axis, cell) * deviation * deviation * members / (members - 1);
    }
    sum += std::sqrt(std::max(0.0L, kUnseen * of.range * of.range / members - variance));
  }
  return sum;
}

ScoreMoments MomentAverages::moments() const {
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    const Sums& sums = sums_[b];
    const long double between = sums.squares / (sums.count - 1);
    const long double unseen = unseen_deviation(b);
    moments.mean[b] = static_cast<double>(sums.mean);
    moments.variance[b] = static_cast<double>(between + sums.within / sums.count);
    moments.members[b] = sums.count;
    moments.mean_variance[b] = static_cast<double>((between + unseen * unseen) / sums.count);
  }
  return moments;
}

}  // namespace hearsay::compiler
