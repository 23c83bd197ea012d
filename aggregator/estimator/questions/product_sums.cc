#include "aggregator/estimator/questions/product_sums.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace hearsay::estimator {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 34U;
constexpr std::string_view kSmallerTable = "ask for a table of fewer or coarser attributes";

[[noreturn]] void refuse() {
  throw compiler::WorkStopped(
      Error{ErrorCode::kLimitExceeded, "the table would take too much work: " + std::string(kSmallerTable)});
}

// Counts the steps in portions of at most 2^20, as Work::spend() requires.
void spend_all(compiler::Work& work, std::uint64_t steps) {
  constexpr std::uint64_t kPortion = std::uint64_t{1} << 20U;
  for (; steps > kPortion; steps -= kPortion) work.spend(kPortion);
  work.spend(steps);
}

struct Axis {
  std::size_t number;
  std::size_t functions;
  unsigned shift = 0;  // the place of the axis's row in a key
  // The distinct parts. A part's position is its row.
  std::vector<QuestionIndex::Part> parts{};
  // The functions' values, row by row. For the first attribute only one row, since each of its rows is used once.
  std::vector<double> values{};
  std::vector<double> sums{};
};

// Reports that have the same parts. `key` has the rows of these parts, with the first attribute's row in the
// highest bits.
struct Alike {
  std::uint64_t key;
  double count;
};

class Summer {
 public:
  Summer(const PartFunctions& functions, compiler::Work& work) : functions_(functions), work_(work) {}

  std::vector<double> sum(const QuestionIndex& index, const AskedBlock& block,
                          std::span<const std::uint32_t> attributes) {
    for (AxisSet axes = block.axes; axes != 0; axes &= axes - 1) {
      const auto number = static_cast<std::size_t>(std::countr_zero(axes));
      axes_.push_back({number, functions_.counts[number]});
    }
    collect(index, block, attributes);
    prepare();
    std::vector<double> result(cells_from(0), 0);
    add(0, 0, alike_.size(), result);
    return result;
  }

 private:
  void collect(const QuestionIndex& index, const AskedBlock& block, std::span<const std::uint32_t> attributes) {
    std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> rows(axes_.size());
    std::vector<std::uint32_t> numbers;
    std::vector<double> counts;
    for (const std::uint32_t s : block.sets) {
      const QuestionIndex::AskedSet& set = index.sets()[s];
      const auto asked = index.attributes(set);
      std::vector<std::size_t> at;
      for (const Axis& axis : axes_) {
        at.push_back(
            static_cast<std::size_t>(std::ranges::lower_bound(asked, attributes[axis.number]) - asked.begin()));
      }
      constexpr std::uint64_t kBytesPerPart = 128;
      work_.hold(kBytesPerPart * set.entries * axes_.size(), kSmallerTable);
      index.for_each(set, [&](double count, std::span<const QuestionIndex::Part> parts) {
        work_.spend(32 * axes_.size());
        for (std::size_t i = 0; i < axes_.size(); ++i) {
          const QuestionIndex::Part& part = parts[at[i]];
          const std::uint64_t key = std::uint64_t{part.question} << 32U | part.answer;
          const auto [row, is_new] = rows[i].emplace(key, static_cast<std::uint32_t>(axes_[i].parts.size()));
          if (is_new) axes_[i].parts.push_back(part);
          numbers.push_back(row->second);
        }
        counts.push_back(count);
      });
    }
    unsigned bits = 0;
    for (std::size_t i = axes_.size(); i-- > 0;) {
      axes_[i].shift = bits;
      bits += static_cast<unsigned>(std::bit_width(axes_[i].parts.size()));
    }
    if (bits > 64) refuse();
    for (std::size_t e = 0; e < counts.size(); ++e) {
      std::uint64_t key = 0;
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        key |= std::uint64_t{numbers[e * axes_.size() + i]} << axes_[i].shift;
      }
      alike_.push_back({key, counts[e]});
    }
    std::ranges::sort(alike_, {}, &Alike::key);
  }

  std::size_t cells_from(std::size_t axis) const {
    std::uint64_t cells = 1;
    for (; axis < axes_.size(); ++axis) cells = compiler::saturated_product(cells, axes_[axis].functions);
    return cells;
  }

  void prepare() {
    std::uint64_t steps = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      Axis& axis = axes_[i];
      std::uint64_t beginnings = 0;
      for (std::size_t e = 0; e < alike_.size(); ++e) {
        if (e == 0 || alike_[e].key >> axis.shift != alike_[e - 1].key >> axis.shift) ++beginnings;
      }
      const std::uint64_t cells = cells_from(i);
      steps += compiler::saturated_product(beginnings, cells) + axis.parts.size() * functions_.steps[axis.number];
      if (cells > kMostSteps || steps > kMostSteps) refuse();
      work_.hold(sizeof(double) * cells, kSmallerTable);
      if (i == 0) continue;
      work_.hold(sizeof(double) * axis.functions * axis.parts.size(), kSmallerTable);
    }
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      Axis& axis = axes_[i];
      axis.sums.resize(cells_from(i + 1));
      axis.values.resize(axis.functions * (i == 0 ? 1 : axis.parts.size()));
      for (std::size_t row = 0; i > 0 && row < axis.parts.size(); ++row) evaluate(axis, row, row);
    }
  }

  void evaluate(Axis& axis, std::size_t row, std::size_t to) {
    spend_all(work_, functions_.steps[axis.number]);
    functions_.evaluate(axis.number, axis.parts[row],
                        std::span(axis.values).subspan(to * axis.functions, axis.functions));
  }

  // Adds to `to` the sums over the reports from `begin` to `end`, which agree on all attributes before the i-th.
  void add(std::size_t i, std::size_t begin, std::size_t end, std::span<double> to) {
    if (i == axes_.size()) {
      for (std::size_t e = begin; e < end; ++e) to[0] += alike_[e].count;
      return;
    }
    Axis& axis = axes_[i];
    while (begin < end) {
      const std::uint64_t beginning = alike_[begin].key >> axis.shift;
      std::size_t next = begin;
      while (next < end && alike_[next].key >> axis.shift == beginning) ++next;
      std::ranges::fill(axis.sums, 0.0);
      add(i + 1, begin, next, axis.sums);
      std::size_t row = beginning & ((std::uint64_t{1} << std::bit_width(axis.parts.size())) - 1);
      if (i == 0) {
        evaluate(axis, row, 0);
        row = 0;
      }
      const std::size_t inner = axis.sums.size();
      for (std::size_t f = 0; f < axis.functions; ++f) {
        const double value = axis.values[row * axis.functions + f];
        double* out = to.data() + f * inner;
        for (std::size_t j = 0; j < inner; ++j) out[j] += value * axis.sums[j];
      }
      spend_all(work_, axis.functions * inner);
      begin = next;
    }
  }

  const PartFunctions& functions_;
  compiler::Work& work_;
  std::vector<Axis> axes_;
  std::vector<Alike> alike_;
};

}  // namespace

std::vector<double> product_sums(const QuestionIndex& index, const AskedBlock& block,
                                 std::span<const std::uint32_t> attributes, const PartFunctions& functions,
                                 compiler::Work& work) {
  return Summer(functions, work).sum(index, block, attributes);
}

}  // namespace hearsay::estimator
