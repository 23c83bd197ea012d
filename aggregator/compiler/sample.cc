#include "aggregator/compiler/sample.h"

#include <algorithm>
#include <bit>
#include <string>

namespace hearsay::compiler {
namespace {

std::uint32_t uniform_below(std::uint32_t size, BitSource& bits) {
  const auto width = static_cast<unsigned>(std::bit_width(size - 1));
  for (;;) {
    const auto value = static_cast<std::uint32_t>(bits.bits(width));
    if (value < size) return value;
  }
}

// A class with a share of 70/2^17, about 1 in 1900, is refused with probability 1.4e-7 (Poisson).
Result<void> check_members(const std::array<std::uint32_t, 2>& members) {
  for (std::size_t b = 0; b < 2; ++b) {
    if (members[b] >= Sample::kMinMembers) continue;
    return Error{ErrorCode::kClassTooRare,
                 "of " + std::to_string(Sample::kRecords) + " uniform records only " + std::to_string(members[b]) +
                     (b == 1 ? " satisfy" : " fail") + " the query, at least " + std::to_string(Sample::kMinMembers) +
                     " are needed; the query has no structure that exact means are known for"};
  }
  return {};
}

// Mean and variance of an attribute's score within each of its cells.
struct CellScores {
  CellScores(std::size_t axis, const Cells& cells, const std::vector<double>& score)
      : number(axis), mean(cells.size.size(), 0), variance(cells.size.size(), 0) {
    for (std::size_t v = 0; v < score.size(); ++v) mean[cells.cell_of[v]] += score[v] / cells.size[cells.cell_of[v]];
    for (std::size_t v = 0; v < score.size(); ++v) {
      const double deviation = score[v] - mean[cells.cell_of[v]];
      variance[cells.cell_of[v]] += deviation * deviation / cells.size[cells.cell_of[v]];
    }
  }

  std::size_t number;  // of the axis
  std::vector<double> mean;
  std::vector<double> variance;
};

// Of the records of one class. A record is known up to its cells: it comes with the mean of its score and the variance
// that is left.
struct RunningMoments {
  std::uint32_t count = 0;
  long double mean = 0;
  long double squares = 0;  // of deviations of the records' means from their mean so far
  long double within = 0;   // Σ of the variances left

  void add(double value, double variance) {
    ++count;
    const long double deviation = value - mean;
    mean += deviation / count;
    squares += deviation * (value - mean);
    within += variance;
  }
};

}  // namespace

Sample::Sample(const Query& query, const Schema& schema, BitSource& bits)
    : bits_(bits), lanes_(query, schema, distinguished_cells(query, schema)) {}

std::uint64_t Sample::draw() {
  for (std::size_t axis = 0; axis < lanes_.axes().size(); ++axis) {
    const std::vector<std::uint32_t>& cell_of = lanes_.axes()[axis].cell_of;
    lanes_.clear(axis);
    if (cell_of.size() == 2) {
      const std::uint64_t ones = bits_.bits(Lanes::kCount);
      lanes_.put(axis, 0, ~ones);
      lanes_.put(axis, 1, ones);
      continue;
    }
    const auto size = static_cast<std::uint32_t>(cell_of.size());
    for (std::size_t lane = 0; lane < Lanes::kCount; ++lane) {
      lanes_.put(axis, cell_of[uniform_below(size, bits_)], std::uint64_t{1} << lane);
    }
  }
  return lanes_.evaluate();
}

Result<ClassLaws> Sample::laws() {
  const std::vector<Cells>& axes = lanes_.axes();
  std::array<std::uint32_t, 2> members{0, 0};
  std::vector<std::array<std::vector<std::uint32_t>, 2>> count;  // per axis, class and cell
  for (const Cells& axis : axes) {
    const std::vector<std::uint32_t> none(axis.size.size(), 0);
    count.push_back({none, none});
  }
  for (std::uint32_t drawn = 0; drawn < kRecords; drawn += Lanes::kCount) {
    const std::uint64_t held = draw();
    for (std::size_t b = 0; b < 2; ++b) {
      const std::uint64_t in_class = b == 1 ? held : ~held;
      members[b] += static_cast<std::uint32_t>(std::popcount(in_class));
      for (std::size_t i = 0; i < axes.size(); ++i) {
        for (const std::uint32_t cell : lanes_.occupied(i)) {
          count[i][b][cell] += static_cast<std::uint32_t>(std::popcount(in_class & lanes_.in_cell(i, cell)));
        }
      }
    }
  }
  if (auto enough = check_members(members); !enough) return enough.error();
  ClassLaws laws;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    AttributeLaw law{axes[i].attribute, {}};
    for (std::size_t b = 0; b < 2; ++b) {
      for (const std::uint32_t cell : axes[i].cell_of) {
        law.probability[b].push_back(static_cast<double>(count[i][b][cell]) / members[b] / axes[i].size[cell]);
      }
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

Result<ScoreMoments> Sample::moments(std::span<const AttributeScore> scores) {
  std::vector<CellScores> cells;
  auto score = scores.begin();
  for (std::size_t i = 0; i < lanes_.axes().size() && score != scores.end(); ++i) {
    if (lanes_.axes()[i].attribute == score->attribute) cells.emplace_back(i, lanes_.axes()[i], (score++)->score);
  }
  std::array<RunningMoments, 2> sums;
  for (std::uint32_t drawn = 0; drawn < kRecords; drawn += Lanes::kCount) {
    const std::uint64_t held = draw();
    std::array<double, Lanes::kCount> mean{};
    std::array<double, Lanes::kCount> within{};
    for (const CellScores& axis : cells) {
      for (const std::uint32_t cell : lanes_.occupied(axis.number)) {
        for (std::uint64_t mask = lanes_.in_cell(axis.number, cell); mask != 0; mask &= mask - 1) {
          const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
          mean[lane] += axis.mean[cell];
          within[lane] += axis.variance[cell];
        }
      }
    }
    for (std::size_t lane = 0; lane < Lanes::kCount; ++lane) sums[held >> lane & 1U].add(mean[lane], within[lane]);
  }
  if (auto enough = check_members({sums[0].count, sums[1].count}); !enough) return enough.error();
  ScoreMoments moments;
  for (std::size_t b = 0; b < 2; ++b) {
    const long double between = sums[b].squares / (sums[b].count - 1);
    moments.mean[b] = static_cast<double>(sums[b].mean);
    moments.variance[b] = static_cast<double>(between + sums[b].within / sums[b].count);
    moments.mean_variance[b] = static_cast<double>(between / sums[b].count);
  }
  return moments;
}

Result<JointCounts> Sample::joint_counts() {
  constexpr std::uint64_t kMaxAdditions = std::uint64_t{1} << 30U;
  const std::vector<Cells>& axes = lanes_.axes();
  std::vector<std::uint32_t> levels;
  std::uint64_t occupied = 0;  // pairs of cells that 64 records can be in
  std::uint64_t before = 0;
  for (const Cells& axis : axes) {
    levels.push_back(static_cast<std::uint32_t>(axis.size.size()));
    const std::uint64_t cells = std::min<std::uint64_t>(levels.back(), Lanes::kCount);
    occupied += before * cells;
    before += cells;
  }
  if (occupied > kMaxAdditions / (2 * kRecords / Lanes::kCount)) {
    return Error{ErrorCode::kLimitExceeded, "the query depends on too many attributes to sample their covariances"};
  }
  JointCounts counts(std::move(levels));
  for (std::uint32_t drawn = 0; drawn < kRecords; drawn += Lanes::kCount) {
    const std::uint64_t held = draw();
    for (const bool b : {false, true}) {
      const std::uint64_t in_class = b ? held : ~held;
      counts.add_members(b, static_cast<std::uint32_t>(std::popcount(in_class)));
      for (std::size_t j = 1; j < axes.size(); ++j) {
        for (const std::uint32_t right : lanes_.occupied(j)) {
          const std::uint64_t of_right = in_class & lanes_.in_cell(j, right);
          for (std::size_t i = 0; i < j && of_right != 0; ++i) {
            for (const std::uint32_t left : lanes_.occupied(i)) {
              const auto together = static_cast<std::uint32_t>(std::popcount(of_right & lanes_.in_cell(i, left)));
              counts.add_pair(b, i, j, left, right, together);
            }
          }
        }
      }
    }
  }
  if (auto enough = check_members({counts.members(false), counts.members(true)}); !enough) return enough.error();
  return counts;
}

}  // namespace hearsay::compiler
