#include "common/arrangement/enumeration.h"

#include <algorithm>

#include "common/query/value_set.h"

namespace hearsay::compiler {
namespace {

using PerClass = std::array<double, 2>;

// Numbers of records in each class, below one node of the tree of combinations.
struct CountWalk {
  const std::vector<Cells>& axes;
  const std::vector<std::size_t>& stride;
  const std::vector<std::uint8_t>& table;
  std::vector<std::vector<PerClass>> in_cell;  // per axis and cell, what laws() asks for

  // Adds to `total` the records that continue the cells chosen on the axes before `axis`, which hold `weight` records.
  void add_below(std::size_t axis, std::size_t position, double weight, PerClass& total) {
    const bool last = axis + 1 == axes.size();
    for (std::size_t cell = 0; cell < axes[axis].size.size(); ++cell) {
      const auto size = static_cast<double>(axes[axis].size[cell]);
      const std::size_t at = position + cell * stride[axis];
      PerClass rest{0, 0};
      if (last) {
        rest[table[at]] = 1;
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

// Sums over records of 1, s and s², s being the sum of scores.
struct Sums {
  double count = 0;
  double first = 0;
  double second = 0;
};

struct MomentWalk {
  const std::vector<Cells>& axes;
  const std::vector<std::size_t>& stride;
  const std::vector<std::uint8_t>& table;
  std::vector<std::vector<Sums>> of_cell;  // per axis and cell: over the cell's values, of the attribute's own score

  void add_below(std::size_t axis, std::size_t position, std::array<Sums, 2>& total) const {
    const bool last = axis + 1 == axes.size();
    for (std::size_t cell = 0; cell < axes[axis].size.size(); ++cell) {
      const Sums& own = of_cell[axis][cell];
      const std::size_t at = position + cell * stride[axis];
      if (last) {
        Sums& of_class = total[table[at]];
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

std::optional<Enumeration> Enumeration::create(const Query& query, const Schema& schema) {
  std::vector<Cells> axes = distinguished_cells(query, schema);
  std::uint64_t combinations = 1;
  for (const Cells& axis : axes) {
    combinations *= axis.size.size();
    if (combinations > kMaxCombinations) return std::nullopt;
  }
  return Enumeration(query, schema, std::move(axes));
}

Enumeration::Enumeration(const Query& query, const Schema& schema, std::vector<Cells> axes)
    : axes_(std::move(axes)), stride_(axes_.size()) {
  std::size_t combinations = 1;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    stride_[i] = combinations;
    combinations *= axes_[i].size.size();
  }
  table_.resize(combinations);
  Lanes lanes(query, schema, axes_);
  for (std::size_t begin = 0; begin < combinations; begin += Lanes::kCount) {
    for (std::size_t i = 0; i < axes_.size(); ++i) fill(lanes, i, begin);
    const std::uint64_t held = lanes.evaluate();
    const std::size_t end = std::min(begin + Lanes::kCount, combinations);
    for (std::size_t at = begin; at < end; ++at) table_[at] = static_cast<std::uint8_t>(held >> (at - begin) & 1U);
  }
}

// Along an axis the table has runs of `stride` entries of the same cell. Lanes beyond the table's end go on likewise.
void Enumeration::fill(Lanes& lanes, std::size_t axis, std::size_t begin) const {
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

bool Enumeration::depends_on(std::size_t axis) const {
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

QueryForm Enumeration::form() const {
  const Cells* only = nullptr;
  std::size_t stride = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (!depends_on(i)) continue;
    if (only != nullptr) return Unstructured{};
    only = &axes_[i];
    stride = stride_[i];
  }
  if (only == nullptr) return table_.front() == 1;
  ValueSet yes;
  for (std::uint32_t v = 0; v < only->cell_of.size(); ++v) {
    if (table_[only->cell_of[v] * stride] == 1) yes.emplace_back(v, v);
  }
  return Predicate{only->attribute, query::make_value_set(std::move(yes))};
}

ClassLaws Enumeration::laws() const {
  CountWalk walk{axes_, stride_, table_, {}};
  for (const Cells& axis : axes_) walk.in_cell.emplace_back(axis.size.size(), PerClass{0, 0});
  PerClass total{0, 0};
  walk.add_below(0, 0, 1, total);
  ClassLaws laws;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    AttributeLaw law{axes_[i].attribute, {}};
    for (std::size_t b = 0; b < 2; ++b) {
      for (const std::uint32_t cell : axes_[i].cell_of) {
        law.probability[b].push_back(walk.in_cell[i][cell][b] / axes_[i].size[cell] / total[b]);
      }
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

ScoreMoments Enumeration::moments(std::span<const AttributeScore> scores) const {
  MomentWalk walk{axes_, stride_, table_, {}};
  double constant = 0;
  auto score = scores.begin();
  for (const Cells& axis : axes_) {
    std::vector<double> own(axis.cell_of.size(), 0);
    if (score != scores.end() && score->attribute == axis.attribute) own = (score++)->score;
    // Scores are summed about their average, which keeps second moments from cancelling.
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
