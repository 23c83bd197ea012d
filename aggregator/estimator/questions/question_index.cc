#include "aggregator/estimator/questions/question_index.h"

#include <algorithm>
#include <array>

#include "common/channel/questions.h"

namespace hearsay::estimator {
namespace {

using Entry = tally::SampledTally::Entry;
using GroupClass = SampledChannel::GroupClass;

Error foreign_tally() { return {ErrorCode::kInvalidArgument, "the tally is not of the task's reports"}; }

bool is_below(const Entry& entry, std::uint64_t group) { return entry.group < group; }

}  // namespace

Result<QuestionIndex> QuestionIndex::create(const Task& task, const tally::SampledTally& tally,
                                            std::size_t most_part_bytes) {
  QuestionIndex index(task);
  index.reports_ = tally.reports();
  index.entries_ = tally.entries();
  const SampledChannel& channel = index.channel();
  if (!index.entries_.empty() && index.entries_.back().group >= channel.groups()) return foreign_tally();
  for (auto entry = index.entries_.begin(); entry != index.entries_.end();) {
    const GroupClass& group_class = channel.class_of(entry->group);
    for (; entry != index.entries_.end() && entry->group - group_class.first < group_class.count; ++entry) {
      if (!channel.is_answer(entry->group, entry->answer)) return foreign_tally();
    }
  }
  index.find_sets();
  index.store_parts(most_part_bytes);
  index.laws_ = std::make_unique<LazyLaw[]>(task.asked_schema().size());
  return index;
}

// Groups of a class on the same attributes are consecutive.
void QuestionIndex::find_sets() {
  const SampledChannel& sampled = channel();
  std::vector<Factor> factors;
  std::vector<std::uint32_t> attributes;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const GroupClass& group_class = sampled.class_of(entry->group);
    factors.resize(group_class.size);
    sampled.factors(entry->group, factors);
    attributes.clear();
    for (const Factor& factor : factors) attributes.push_back(factor.attribute);
    const CharacterIndex::Ranks groups = sampled.groups_on(group_class, attributes);
    const auto end = std::lower_bound(entry, entries_.end(), groups.first + groups.size, is_below);
    AskedSet set{static_cast<std::uint32_t>(&group_class - sampled.classes().data()),
                 0,
                 static_cast<std::size_t>(entry - entries_.begin()),
                 static_cast<std::size_t>(end - entry),
                 attributes_.size(),
                 0};
    for (; entry != end; ++entry) set.reports += entry->count;
    attributes_.insert(attributes_.end(), attributes.begin(), attributes.end());
    sets_.push_back(set);
  }
}

void QuestionIndex::store_parts(std::size_t most_bytes) {
  std::size_t parts = 0;
  for (AskedSet& set : sets_) {
    set.first_part = parts;
    parts += set.entries * class_of(set).size;
  }
  if (parts > most_bytes / sizeof(Part)) return;
  parts_.resize(parts);
  for (const AskedSet& set : sets_) {
    const std::size_t size = class_of(set).size;
    for (std::size_t e = 0; e < set.entries; ++e) {
      decode(set, entries_[set.first_entry + e], std::span(parts_).subspan(set.first_part + e * size, size));
    }
  }
  has_parts_ = true;
}

void QuestionIndex::decode(const AskedSet& set, const Entry& entry, std::span<Part> parts) const {
  constexpr std::size_t kOnStack = 64;
  std::array<Factor, kOnStack> storage{};
  std::vector<Factor> more(parts.size() > kOnStack ? parts.size() : 0);
  const std::span<Factor> factors = more.empty() ? std::span(storage).first(parts.size()) : std::span(more);
  channel().factors(entry.group, factors);
  const GroupKind kind = class_of(set).kind;
  std::uint32_t rest = kind == GroupKind::kEven ? entry.answer << 1U : entry.answer;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t width = channel().questions(factors[i].attribute).width();
    parts[i] = {factors[i].mask - 1, rest & ((1U << width) - 1)};
    rest >>= width;
  }
}

const compiler::QuestionLaw& QuestionIndex::law(std::uint32_t attribute, compiler::Work& work) const {
  LazyLaw& lazy = laws_[attribute];
  std::call_once(lazy.made,
                 [&] { lazy.law = std::make_unique<compiler::QuestionLaw>(channel().questions(attribute), work); });
  return *lazy.law;
}

}  // namespace hearsay::estimator
