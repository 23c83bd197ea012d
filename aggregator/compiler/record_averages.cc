#include "aggregator/compiler/record_averages.h"

#include <algorithm>
#include <cmath>

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
    CellScores of_cell{cells, std::vector<double>(cells.size.size(), 0), std::vector<double>(cells.size.size(), 0), 0};
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
  for (Sums& sums : sums_) sums.of_attribute.resize(scores_.size());
}

void MomentAverages::Spread::add(long double value, std::uint32_t count) {
  const long double deviation = value - mean;
  mean += deviation / count;
  squares += deviation * (value - mean);
}

void MomentAverages::add(bool f, std::span<const std::uint32_t> values) {
  Sums& sums = sums_[f ? 1 : 0];
  ++sums.count;
  long double value = 0;
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    const CellScores& of = scores_[i];
    const std::uint32_t cell = of.cells.cell_of[values[of.cells.attribute]];
    value += of.mean[cell];
    sums.within += of.variance[cell];
    sums.of_attribute[i].add(of.mean[cell], sums.count);
  }
  sums.score.add(value, sums.count);
}

// The standard deviation of a member's score that the members' likeness may hide. A share q of the class that differs
// from the rest in an attribute is in none of m members with probability (1-q)^m, 5 % at q = 3/m (the rule of three).
// So an attribute of range R counts with the variance 3R²/m at least. What lacks to it is added as if all attributes
// that lack something differed in the same members. Where all members are alike that is 3R²/m for the range R of the
// whole score, and the mean ± 1.96 standard errors, 3.39R/m, holds the true mean unless q > 3.39/m: an error of at most
// 3.4 %. Where every attribute differs in 3 members or more, nothing is added.
long double MomentAverages::unseen_deviation(const Sums& sums, const std::vector<CellScores>& scores) {
  constexpr long double kUnseen = 3;
  long double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const long double least = kUnseen * scores[i].range * scores[i].range / sums.count;
    sum += std::sqrt(std::max(0.0L, least - sums.of_attribute[i].squares / (sums.count - 1)));
  }
  return sum;
}

ScoreMoments MomentAverages::moments() const {
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    const Sums& sums = sums_[b];
    const long double between = sums.score.squares / (sums.count - 1);
    const long double unseen = unseen_deviation(sums, scores_);
    moments.mean[b] = static_cast<double>(sums.score.mean);
    moments.variance[b] = static_cast<double>(between + sums.within / sums.count);
    moments.members[b] = sums.count;
    moments.mean_variance[b] = static_cast<double>((between + unseen * unseen) / sums.count);
  }
  return moments;
}

}  // namespace hearsay::compiler
