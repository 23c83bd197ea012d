#include "common/arrangement/enumeration.h"

#include <algorithm>

#include "common/query/value_set.h"

namespace hearsay::compiler {
namespace {

using PerClass = std::array<long double, 2>;

// Numbers of records in each class, below one node of the tree of combinations.
struct CountWalk {
  const std::vector<Cells>& axes;
  const std::vector<std::size_t>& stride;
  const std::vector<std::uint8_t>& table;
  std::vector<std::vector<PerClass>> in_cell;  // per axis and cell, what laws() asks for

  // The records that continue the cells chosen on the axes before `axis`. `weight` is how many records those cells
  // hold.
  PerClass below(std::size_t axis, std::size_t position, long double weight) {
    if (axis == axes.size()) {
      PerClass one{0, 0};
      one[table[position]] = 1;
      return one;
    }
    PerClass total{0, 0};
    for (std::size_t cell = 0; cell < axes[axis].size.size(); ++cell) {
      const auto size = static_cast<long double>(axes[axis].size[cell]);
      const PerClass rest = below(axis + 1, position + cell * stride[axis], weight * size);
      for (std::size_t b = 0; b < 2; ++b) {
        total[b] += size * rest[b];
        in_cell[axis][cell][b] += weight * size * rest[b];
      }
    }
    return total;
  }
};

// Sums over records of 1, s and s², s being the sum of scores.
struct Sums {
  long double count = 0;
  long double first = 0;
  long double second = 0;
};

struct MomentWalk {
  const std::vector<Cells>& axes;
  const std::vector<std::size_t>& stride;
  const std::vector<std::uint8_t>& table;
  std::vector<std::vector<Sums>> of_cell;  // per axis and cell: over the cell's values, of the attribute's own score

  std::array<Sums, 2> below(std::size_t axis, std::size_t position) const {
    std::array<Sums, 2> total;
    if (axis == axes.size()) {
      total[table[position]].count = 1;
      return total;
    }
    for (std::size_t cell = 0; cell < axes[axis].size.size(); ++cell) {
      const std::array<Sums, 2> rest = below(axis + 1, position + cell * stride[axis]);
      const Sums& own = of_cell[axis][cell];
      for (std::size_t b = 0; b < 2; ++b) {
        total[b].count += own.count * rest[b].count;
        total[b].first += own.first * rest[b].count + own.count * rest[b].first;
        total[b].second += own.second * rest[b].count + 2 * own.first * rest[b].first + own.count * rest[b].second;
      }
    }
    return total;
  }
};

std::vector<Sums> cell_sums(const Cells& cells, std::span<const double> scores, long double centre) {
  std::vector<Sums> sums(cells.size.size());
  for (std::size_t v = 0; v < scores.size(); ++v) {
    Sums& cell = sums[cells.cell_of[v]];
    const long double centred = scores[v] - centre;
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
  std::vector<std::vector<std::uint32_t>> member(axes_.size());  // of each cell, some value
  std::vector<std::uint32_t> values(schema.size(), 0);           // the combination at hand; untouched ones stay 0
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    member[i].resize(axes_[i].size.size());
    for (std::uint32_t v = 0; v < axes_[i].cell_of.size(); ++v) member[i][axes_[i].cell_of[v]] = v;
    values[axes_[i].attribute] = member[i][0];
  }
  std::vector<std::size_t> cell(axes_.size(), 0);
  table_.reserve(combinations);
  for (;;) {
    table_.push_back(query.evaluate(values) ? 1 : 0);
    std::size_t i = axes_.size();
    while (i > 0 && cell[i - 1] + 1 == member[i - 1].size()) {
      --i;
      cell[i] = 0;
      values[axes_[i].attribute] = member[i][0];
    }
    if (i == 0) break;
    ++cell[i - 1];
    values[axes_[i - 1].attribute] = member[i - 1][cell[i - 1]];
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
  const PerClass total = walk.below(0, 0, 1);
  ClassLaws laws;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    AttributeLaw law{axes_[i].attribute, {}};
    for (std::size_t b = 0; b < 2; ++b) {
      for (const std::uint32_t cell : axes_[i].cell_of) {
        const long double in_cell = walk.in_cell[i][cell][b] / static_cast<long double>(axes_[i].size[cell]);
        law.probability[b].push_back(static_cast<double>(in_cell / total[b]));
      }
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

ScoreMoments Enumeration::moments(std::span<const AttributeScore> scores) const {
  MomentWalk walk{axes_, stride_, table_, {}};
  long double constant = 0;
  auto score = scores.begin();
  for (const Cells& axis : axes_) {
    std::vector<double> own(axis.cell_of.size(), 0);
    if (score != scores.end() && score->attribute == axis.attribute) own = (score++)->score;
    // Scores are summed about their average, which keeps second moments from cancelling.
    const long double centre = ScoreAverages(own).over({{0, static_cast<std::uint32_t>(own.size() - 1)}}).mean;
    constant += centre;
    walk.of_cell.push_back(cell_sums(axis, own, centre));
  }
  const std::array<Sums, 2> total = walk.below(0, 0);
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    const long double mean = total[b].first / total[b].count;
    moments.mean[b] = static_cast<double>(mean + constant);
    moments.variance[b] = static_cast<double>(std::max(0.0L, total[b].second / total[b].count - mean * mean));
  }
  return moments;
}

}  // namespace hearsay::compiler
