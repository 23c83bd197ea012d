#include "aggregator/estimator/sampled/wide_patterns.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <tuple>

#include "common/base/try.h"

namespace hearsay::estimator {
namespace {

using GroupClass = SampledChannel::GroupClass;
using Part = SampledIndex::Part;

constexpr std::size_t kMaxAttributes = 24;
constexpr std::uint32_t kMaxBits = 56;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kDenseWidth = 6;                       // answers this narrow are counted in an array
constexpr std::uint64_t kDenseKeys = std::uint64_t{1} << 20U;  // keys below this are looked up in an array

struct Axis {
  std::uint32_t shift;
  std::uint32_t ones;
};

}  // namespace

class WidePatternsBuilder {
 public:
  WidePatternsBuilder(const SampledIndex& index, std::span<const CoordinateSet> sets, std::vector<Axis> axes,
                      std::uint32_t bits)
      : index_(index),
        classes_(index.channel().classes()),
        sets_(sets),
        axes_(std::move(axes)),
        bits_(bits),
        set_of_axes_(std::size_t{1} << axes_.size(), kNone) {
    for (std::uint32_t s = 0; s < sets.size(); ++s) set_of_axes_[sets[s].axes] = s;
    const std::uint64_t keys = std::uint64_t{classes_.size()} << bits;
    if (keys <= kDenseKeys) dense_ids_.assign(keys, kNone);
  }

  void collect(std::span<const std::uint32_t> attributes) {
    std::vector<std::span<const Part>> rest;
    for (const std::uint32_t attribute : attributes) rest.push_back(index_.parts(attribute));
    for (;;) {
      std::uint32_t entry = kNone;
      for (const auto& parts : rest) {
        if (!parts.empty()) entry = std::min(entry, parts.front().entry);
      }
      if (entry == kNone) return;
      std::uint64_t masks = 0;
      std::uint32_t present = 0;
      std::uint32_t answer = 0;
      std::uint32_t width = 0;
      for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i].empty() || rest[i].front().entry != entry) continue;
        masks |= std::uint64_t{rest[i].front().mask} << axes_[i].shift;
        answer |= rest[i].front().bit << width++;
        present |= 1U << i;
        rest[i] = rest[i].subspan(1);
      }
      count(index_.wide_class(entry), masks, present, answer, static_cast<double>(index_.wide_count(entry)));
    }
  }

  WidePatterns finish() && {
    std::sort(seen_.begin(), seen_.end());
    auto next = seen_.begin();
    for (std::uint32_t id = 0; id < drafts_.size(); ++id) {
      const Draft& draft = drafts_[id];
      const auto until = std::find_if(next, seen_.end(), [&](const Seen& seen) { return std::get<0>(seen) != id; });
      add_pattern(draft, std::span(next, until));
      next = until;
    }
    add_blocks();
    return std::move(out_);
  }

 private:
  struct Draft {
    std::uint32_t group_class;
    std::uint32_t present;
    std::size_t first_term, terms;
    std::size_t first_count;  // in dense_counts_, if the answer is narrow
    double reports;
    std::uint32_t width() const { return static_cast<std::uint32_t>(std::popcount(present)); }
  };
  using Seen = std::tuple<std::uint32_t, std::uint32_t, double>;  // pattern, answer, reports

  bool covers(std::uint32_t group_class, std::uint32_t axes) const {
    return classes_[group_class].kind == GroupKind::kRaw || std::popcount(axes) % 2 == 0;
  }

  void count(std::uint32_t group_class, std::uint64_t masks, std::uint32_t present, std::uint32_t answer,
             double reports) {
    const std::uint32_t id = pattern(group_class, masks, present);
    Draft& draft = drafts_[id];
    draft.reports += reports;
    if (draft.terms == 0) return;
    if (draft.width() <= kDenseWidth) {
      dense_counts_[draft.first_count + answer] += reports;
    } else {
      seen_.emplace_back(id, answer, reports);
    }
  }

  std::uint32_t pattern(std::uint32_t group_class, std::uint64_t masks, std::uint32_t present) {
    const std::uint64_t key = std::uint64_t{group_class} << bits_ | masks;
    std::uint32_t& id = dense_ids_.empty() ? ids_.try_emplace(key, kNone).first->second : dense_ids_[key];
    if (id != kNone) return id;
    id = static_cast<std::uint32_t>(drafts_.size());
    Draft draft{group_class, present, out_.terms_.size(), 0, dense_counts_.size(), 0};
    // All subsets of `present`; `local` numbers them by the bits of the answer.
    const std::uint32_t subsets = 1U << draft.width();
    for (std::uint32_t local = 1, axes = 0; local < subsets; ++local) {
      axes = (axes - present) & present;
      const std::uint32_t set = set_of_axes_[axes];
      if (set == kNone || !covers(group_class, axes)) continue;
      out_.terms_.push_back({local, set, sets_[set].slot + offset(masks, axes)});
      ++draft.terms;
    }
    if (draft.terms > 0 && draft.width() <= kDenseWidth) dense_counts_.resize(dense_counts_.size() + subsets, 0);
    drafts_.push_back(draft);
    return id;
  }

  // Where the coordinate with these masks is among those on its attributes.
  std::size_t offset(std::uint64_t masks, std::uint32_t axes) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if ((axes >> i & 1U) == 0) continue;
      at = at * axes_[i].ones + ((masks >> axes_[i].shift & axes_[i].ones) - 1);
    }
    return at;
  }

  void add_blocks() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> reports_of;
    for (const Draft& draft : drafts_) reports_of[{draft.group_class, draft.present}] += draft.reports;
    for (const auto& [key, reports] : reports_of) {
      const auto& [group_class, present] = key;
      SampledView::Block block{index_.channel().gamma(classes_[group_class]), reports, true, {}};
      for (std::uint32_t s = 0; s < sets_.size(); ++s) {
        if ((sets_[s].axes & ~present) == 0 && covers(group_class, sets_[s].axes)) block.sets.push_back(s);
      }
      if (!block.sets.empty()) out_.blocks_.push_back(std::move(block));
    }
  }

  void add_pattern(const Draft& draft, std::span<const Seen> seen) {
    if (draft.terms == 0) return;
    const std::size_t first = out_.answers_.size();
    if (draft.width() <= kDenseWidth) {
      for (std::uint32_t answer = 0; answer < 1U << draft.width(); ++answer) {
        const double count = dense_counts_[draft.first_count + answer];
        if (count == 0) continue;
        out_.answers_.push_back(answer);
        out_.counts_.push_back(count);
      }
    }
    for (const auto& [id, answer, reports] : seen) {
      if (out_.answers_.size() == first || out_.answers_.back() != answer) {
        out_.answers_.push_back(answer);
        out_.counts_.push_back(0);
      }
      out_.counts_.back() += reports;
    }
    out_.patterns_.push_back({index_.channel().gamma(classes_[draft.group_class]), draft.present, draft.width(),
                              draft.first_term, draft.terms, first, out_.answers_.size() - first});
  }

  const SampledIndex& index_;
  std::span<const GroupClass> classes_;
  std::span<const CoordinateSet> sets_;
  std::vector<Axis> axes_;
  std::uint32_t bits_;
  std::vector<std::uint32_t> set_of_axes_;
  std::vector<std::uint32_t> dense_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;
  std::vector<Draft> drafts_;
  std::vector<double> dense_counts_;
  std::vector<Seen> seen_;
  WidePatterns out_;
};

Result<WidePatterns> WidePatterns::create(const SampledIndex& index, std::span<const std::uint32_t> attributes,
                                          std::span<const CoordinateSet> sets) {
  const CharacterIndex& characters = std::get<Characters>(index.task().arrangement().kind()).index();
  std::vector<Axis> axes(attributes.size());
  std::uint32_t bits = 0;
  for (std::size_t i = attributes.size(); i-- > 0;) {
    axes[i] = {bits, static_cast<std::uint32_t>(characters.masks(attributes[i]))};
    bits += characters.bits(attributes[i]);
    if (bits > kMaxBits || attributes.size() > kMaxAttributes) {
      return Error{ErrorCode::kLimitExceeded, "the query is over more than 24 attributes or 56 bits"};
    }
  }
  WidePatternsBuilder builder(index, sets, std::move(axes), bits);
  builder.collect(attributes);
  return std::move(builder).finish();
}

}  // namespace hearsay::estimator
