#include "aggregator/estimator/sampled/wide_patterns.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace hearsay::estimator {
namespace {

using GroupClass = SampledChannel::GroupClass;
using Part = SampledIndex::Part;

constexpr std::uint32_t kMaxBits = 56;
constexpr std::uint64_t kBytesPerDraft = 512;  // for a draft with one or two answers, and its entry in the map
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Axis {
  std::uint32_t shift;
  std::uint32_t ones;
};

class Collector {
 public:
  Collector(const SampledIndex& index, std::span<const CoordinateSet> sets, std::vector<Axis> axes, std::uint32_t bits,
            compiler::Work& work)
      : index_(index),
        classes_(index.channel().classes()),
        sets_(sets),
        axes_(std::move(axes)),
        bits_(bits),
        set_of_axes_(std::size_t{1} << axes_.size(), kNone),
        work_(work) {
    for (std::uint32_t s = 0; s < sets.size(); ++s) set_of_axes_[sets[s].axes] = s;
  }

  void collect(std::span<const std::uint32_t> attributes) {
    if (index_.has_parts()) return collect_parts(attributes);
    collect_entries(attributes);
  }

  WidePatterns finish() && {
    WidePatterns out;
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> reports_of;  // by class and attributes
    for (auto& [group_class, pattern, counts] : drafts_) {
      for (const auto& [answer, count] : counts) {
        pattern.answers.push_back(answer);
        pattern.counts.push_back(count);
        pattern.reports += count;
      }
      reports_of[{group_class, pattern.axes}] += pattern.reports;
      if (!pattern.terms.empty()) out.patterns.push_back(std::move(pattern));
    }
    for (const auto& [key, reports] : reports_of) {
      const auto& [group_class, axes] = key;
      SampledView::Block block{index_.channel().gamma(classes_[group_class]), reports, true, {}};
      work_.spend(sets_.size());
      for (std::uint32_t s = 0; s < sets_.size(); ++s) {
        if ((sets_[s].axes & ~axes) == 0 && covers(group_class, sets_[s].axes)) block.sets.push_back(s);
      }
      if (!block.sets.empty()) out.blocks.push_back(std::move(block));
    }
    return out;
  }

 private:
  // Reads the attributes' lists of parts side by side, one entry at a time.
  void collect_parts(std::span<const std::uint32_t> attributes) {
    std::vector<std::span<const Part>> rest;
    for (const std::uint32_t attribute : attributes) rest.push_back(index_.parts(attribute));
    for (;;) {
      work_.spend(4 * rest.size());
      std::uint32_t entry = kNone;
      for (const auto& parts : rest) {
        if (!parts.empty()) entry = std::min(entry, parts.front().entry);
      }
      if (entry == kNone) return;
      std::uint64_t masks = 0;
      std::uint32_t answer = 0;
      std::uint32_t width = 0;
      for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i].empty() || rest[i].front().entry != entry) continue;
        masks |= std::uint64_t{rest[i].front().mask} << axes_[i].shift;
        answer |= rest[i].front().bit << width++;
        rest[i] = rest[i].subspan(1);
      }
      draft(index_.wide_class(entry), masks).counts[answer] += static_cast<double>(index_.wide_count(entry));
    }
  }

  // Reads all entries. Gives the same result as collect_parts(), without memory for parts.
  void collect_entries(std::span<const std::uint32_t> attributes) {
    std::vector<Factor> factors;
    for (std::uint32_t c = 0; c < classes_.size(); ++c) {
      if (classes_[c].kind == GroupKind::kSingle) continue;
      factors.resize(classes_[c].size);
      for (const SampledIndex::Entry& entry : index_.entries(classes_[c].first, classes_[c].count)) {
        work_.spend(4 * factors.size());
        index_.channel().factors(entry.group, factors);
        const std::uint32_t shown = SampledIndex::factor_bits(classes_[c], entry.answer);
        std::uint64_t masks = 0;
        std::uint32_t answer = 0;
        std::uint32_t width = 0;
        std::size_t at = 0;
        for (std::size_t i = 0; i < factors.size(); ++i) {
          while (at < attributes.size() && attributes[at] < factors[i].attribute) ++at;
          if (at == attributes.size()) break;
          if (attributes[at] != factors[i].attribute) continue;
          masks |= std::uint64_t{factors[i].mask} << axes_[at].shift;
          answer |= (shown >> i & 1U) << width++;
        }
        if (width != 0) draft(c, masks).counts[answer] += static_cast<double>(entry.count);
      }
    }
  }

  struct Draft {
    std::uint32_t group_class;
    SampledView::Pattern pattern;
    std::map<std::uint32_t, double> counts;  // by answer
  };

  bool covers(std::uint32_t group_class, std::uint32_t axes) const {
    return classes_[group_class].kind == GroupKind::kRaw || std::popcount(axes) % 2 == 0;
  }

  std::uint32_t mask(std::uint64_t masks, std::size_t axis) const {
    return static_cast<std::uint32_t>(masks >> axes_[axis].shift) & axes_[axis].ones;
  }

  Draft& draft(std::uint32_t group_class, std::uint64_t masks) {
    const auto [known, is_new] = ids_.try_emplace(std::uint64_t{group_class} << bits_ | masks, drafts_.size());
    if (is_new) drafts_.push_back(new_draft(group_class, masks));
    return drafts_[known->second];
  }

  Draft new_draft(std::uint32_t group_class, std::uint64_t masks) {
    std::uint32_t present = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) present |= (mask(masks, i) != 0 ? 1U : 0U) << i;
    const auto width = static_cast<std::uint32_t>(std::popcount(present));
    Draft draft{
        group_class, {.gamma = index_.channel().gamma(classes_[group_class]), .axes = present, .width = width}, {}};
    const std::uint64_t terms = std::min<std::uint64_t>(std::uint64_t{1} << width, sets_.size());
    work_.spend(std::uint64_t{4} << width);
    work_.hold(kBytesPerDraft + terms * sizeof(SampledView::Term),
               "ask about fewer attributes, or a sum or count of fewer");
    // Visits all subsets of `present`. `local` is the number of the subset, in bits of the answer.
    for (std::uint32_t local = 1, axes = 0; local < 1U << width; ++local) {
      axes = (axes - present) & present;
      const std::uint32_t set = set_of_axes_[axes];
      if (set == kNone || !covers(group_class, axes)) continue;
      draft.pattern.terms.push_back({local, set, sets_[set].slot + offset(masks, axes)});
    }
    return draft;
  }

  std::size_t offset(std::uint64_t masks, std::uint32_t axes) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if ((axes >> i & 1U) != 0) at = at * axes_[i].ones + (mask(masks, i) - 1);
    }
    return at;
  }

  const SampledIndex& index_;
  std::span<const GroupClass> classes_;
  std::span<const CoordinateSet> sets_;
  std::vector<Axis> axes_;
  std::uint32_t bits_;
  std::vector<std::uint32_t> set_of_axes_;
  std::unordered_map<std::uint64_t, std::size_t> ids_;  // positions in drafts_, by class and masks
  std::vector<Draft> drafts_;
  compiler::Work& work_;
};

}  // namespace

Result<WidePatterns> wide_patterns(const SampledIndex& index, std::span<const std::uint32_t> attributes,
                                   std::span<const CoordinateSet> sets, compiler::Work& work) {
  const auto& characters = std::get<Characters>(index.task().arrangement().kind());
  std::vector<Axis> axes(attributes.size());
  std::uint32_t bits = 0;
  for (std::size_t i = attributes.size(); i-- > 0;) {
    axes[i] = {bits, static_cast<std::uint32_t>(characters.index().masks(attributes[i]))};
    bits += characters.bits(attributes[i]);
    if (bits > kMaxBits) {
      return Error{ErrorCode::kLimitExceeded, "the query is over more than 56 bits"};
    }
  }
  // A draft's id is its class and masks.
  if (bits + static_cast<std::uint32_t>(std::bit_width(index.channel().classes().size())) > 64) {
    return Error{ErrorCode::kLimitExceeded,
                 "the query is over " + std::to_string(bits) + " bits, too many for a task with this number of groups"};
  }
  Collector collector(index, sets, std::move(axes), bits, work);
  collector.collect(attributes);
  return std::move(collector).finish();
}

}  // namespace hearsay::estimator
