#include "aggregator/compiler/enumeration.h"

#include <algorithm>

#include "common/query/value_set.h"

namespace hearsay::compiler {
namespace {

using PerClass = std::array<double, 2>;

// Walks the tree of combinations of cells, in which each level fixes the cell of one more axis. Counts the records of
// each class below a node.
struct CountWalk {
  const TruthTable& truth;
  std::vector<std::vector<PerClass>> in_cell;  // per axis and cell: the number of records in the cell
  Work& work;

  // Adds to `total` the records below one node of the tree. The node fixes a cell on each axis before `axis`. These
  // cells hold `weight` combinations of values.
  void add_below(std::size_t axis, std::size_t position, double weight, PerClass& total) {
    const Cells& cells = truth.axes()[axis];
    work.spend(Enumeration::kStepsPerCombination / 2 * cells.size.size());
    const bool last = axis + 1 == truth.axes().size();
    for (std::size_t cell = 0; cell < cells.size.size(); ++cell) {
      const auto size = static_cast<double>(cells.size[cell]);
      const std::size_t at = position + cell * truth.stride(axis);
      PerClass rest{0, 0};
      if (last) {
        rest[truth.table()[at]] = 1;
      } else {
        add_below(axis + 1, at, weight * size, rest);
      }
      for (std::size_t b = 0; b < 2; ++b) {
        total[b] += size * rest[b];
        in_cell[axis][cell][b] += weight * size * rest[b];
      }
    }
  }
};

// Sums of 1, s and s² over records, where s is a record's sum of scores.
struct Sums {
  double count = 0;
  double first = 0;
  double second = 0;
};

struct MomentWalk {
  const TruthTable& truth;
  // Per axis and cell: sums over the cell's values, where s is the attribute's own score.
  std::vector<std::vector<Sums>> of_cell;
  Work& work;

  void add_below(std::size_t axis, std::size_t position, std::array<Sums, 2>& total) const {
    const Cells& cells = truth.axes()[axis];
    work.spend(Enumeration::kStepsPerCombination / 2 * cells.size.size());
    const bool last = axis + 1 == truth.axes().size();
    for (std::size_t cell = 0; cell < cells.size.size(); ++cell) {
      const Sums& own = of_cell[axis][cell];
      const std::size_t at = position + cell * truth.stride(axis);
      if (last) {
        Sums& of_class = total[truth.table()[at]];
        of_class.count += own.count;
        of_class.first += own.first;
        of_class.second += own.second;
        continue;
      }
      std::array<Sums, 2> rest;
      add_below(axis + 1, at, rest);
      for (std::size_t b = 0; b < 2; ++b) {
        total[b].count += own.count * rest[b].count;
        total[b].first += own.first * rest[b].count + own.count * rest[b].first;
        total[b].second += own.second * rest[b].count + 2 * own.first * rest[b].first + own.count * rest[b].second;
      }
    }
  }
};

std::vector<Sums> cell_sums(const Cells& cells, std::span<const double> scores, double centre) {
  std::vector<Sums> sums(cells.size.size());
  for (std::size_t v = 0; v < scores.size(); ++v) {
    Sums& cell = sums[cells.cell_of[v]];
    const double centred = scores[v] - centre;
    cell.count += 1;
    cell.first += centred;
    cell.second += centred * centred;
  }
  return sums;
}

}  // namespace

std::optional<Enumeration> Enumeration::create(const Query& query, const Schema& schema, Work& work) {
  std::vector<Cells> axes = distinguished_cells(query, schema, work);
  const Cost cost = TruthTable::cost(query, schema, axes);
  const std::uint64_t combinations = TruthTable::combinations(axes);
  if (combinations > kMaxCombinations || cost.steps > kMaxSteps) return std::nullopt;
  work.foresee({cost.steps + 2 * kStepsPerCombination * combinations, cost.bytes}, "ask about fewer attributes");
  return Enumeration(TruthTable::create(query, schema, std::move(axes), work));
}

QueryForm Enumeration::form(Work& work) const {
  const Cells* only = nullptr;
  std::size_t stride = 0;
  for (std::size_t i = 0; i < truth_.axes().size(); ++i) {
    if (!truth_.depends_on(i, work)) continue;
    if (only != nullptr) return Unstructured{};
    only = &truth_.axes()[i];
    stride = truth_.stride(i);
  }
  if (only == nullptr) return truth_.table().front() == 1;
  ValueSet yes;
  for (std::uint32_t v = 0; v < only->cell_of.size(); ++v) {
    if (truth_.table()[only->cell_of[v] * stride] == 1) yes.emplace_back(v, v);
  }
  return Predicate{only->attribute, query::make_value_set(std::move(yes))};
}

ClassLaws Enumeration::laws(Work& work) const {
  CountWalk walk{truth_, {}, work};
  for (const Cells& axis : truth_.axes()) walk.in_cell.emplace_back(axis.size.size(), PerClass{0, 0});
  PerClass total{0, 0};
  walk.add_below(0, 0, 1, total);
  ClassLaws laws;
  for (std::size_t i = 0; i < truth_.axes().size(); ++i) {
    AttributeLaw law{truth_.axes()[i].attribute, {}};
    for (std::size_t b = 0; b < 2; ++b) {
      for (const std::uint32_t cell : truth_.axes()[i].cell_of) {
        law.probability[b].push_back(walk.in_cell[i][cell][b] / truth_.axes()[i].size[cell] / total[b]);
      }
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

ScoreMoments Enumeration::moments(std::span<const AttributeScore> scores, Work& work) const {
  MomentWalk walk{truth_, {}, work};
  double constant = 0;
  auto score = scores.begin();
  for (const Cells& axis : truth_.axes()) {
    std::vector<double> own(axis.cell_of.size(), 0);
    if (score != scores.end() && score->attribute == axis.attribute) own = (score++)->score;
    // Subtracts the average from the scores, so that variances lose no digits.
    const ValueSet all{{0, static_cast<std::uint32_t>(own.size() - 1)}};
    const auto centre = static_cast<double>(ScoreAverages(own).over(all).mean);
    constant += centre;
    walk.of_cell.push_back(cell_sums(axis, own, centre));
  }
  std::array<Sums, 2> total;
  walk.add_below(0, 0, total);
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    const double mean = total[b].first / total[b].count;
    moments.mean[b] = mean + constant;
    moments.variance[b] = std::max(0.0, total[b].second / total[b].count - mean * mean);
  }
  return moments;
}

}  // namespace hearsay::compiler
