// The law: groups, their weights and γ. sampled_report.cc draws from it.

#include "common/channel/sampled.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <utility>

#include "common/base/try.h"
#include "common/channel/sampled_state.h"
#include "common/privacy/randomized_response.h"

namespace hearsay {
namespace {

using GroupClass = SampledChannel::GroupClass;

constexpr std::uint64_t kMaxGroups = std::uint64_t{1} << 62U;

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::string name_of(const GroupWeight& group) {
  const char* kind = group.kind == GroupKind::kSingle ? "single" : group.kind == GroupKind::kRaw ? "raw" : "even";
  return std::string("the group `") + kind + "` on " + std::to_string(group.attributes) + " attributes ";
}

std::uint32_t width_of(GroupKind kind, std::uint32_t attributes) {
  if (kind == GroupKind::kSingle) return 1;
  return kind == GroupKind::kRaw ? attributes : attributes - 1;
}

// Whether a group on s attributes has coordinates on l of them.
bool covers(GroupKind kind, std::uint32_t s, std::size_t l) {
  if (l < 1 || l > s) return false;
  if (kind == GroupKind::kSingle) return l == s;
  return kind == GroupKind::kRaw || l % 2 == 0;
}

Result<void> check_group(const GroupWeight& group, const Characters& characters) {
  const std::uint32_t least = group.kind == GroupKind::kSingle ? 1 : group.kind == GroupKind::kRaw ? 2 : 3;
  if (group.attributes < least) return invalid(name_of(group) + "needs at least " + std::to_string(least));
  if (group.attributes > characters.index().attributes()) return invalid(name_of(group) + "has more than the schema");
  if (group.weight < 1) return invalid(name_of(group) + "has the weight 0");
  if (width_of(group.kind, group.attributes) > SampledChannel::kMaxWidth) {
    return Error{ErrorCode::kLimitExceeded,
                 name_of(group) + "asks more than " + std::to_string(SampledChannel::kMaxWidth) + " bits"};
  }
  std::uint32_t covered = 0;
  for (std::uint32_t l = 1; l <= characters.order(); ++l) covered += covers(group.kind, group.attributes, l) ? 1 : 0;
  if (covered == 0) return invalid(name_of(group) + "has no coordinate of the arrangement");
  return {};
}

Result<void> check_groups(std::span<const GroupWeight> groups, const Characters& characters) {
  if (groups.empty()) return invalid("groups must be given on characters");
  std::set<std::pair<GroupKind, std::uint32_t>> seen;
  for (const GroupWeight& group : groups) {
    HEARSAY_CHECK_OK(check_group(group, characters));
    if (!seen.insert({group.kind, group.attributes}).second) return invalid(name_of(group) + "is given twice");
  }
  for (std::uint32_t l = 1; l <= characters.order(); ++l) {
    const bool covered = std::any_of(groups.begin(), groups.end(),
                                     [&](const GroupWeight& group) { return covers(group.kind, group.attributes, l); });
    if (!covered) return invalid("no group has the coordinates on " + std::to_string(l) + " attributes");
  }
  return {};
}

// Numbers the groups and fills in what follows from the classes' kind, attributes, width, count and weight.
Result<void> number_groups(std::vector<GroupClass>& classes, const Epsilon& epsilon) {
  std::uint64_t first = 0;
  for (GroupClass& group_class : classes) {
    group_class.first = first;
    if (group_class.count > kMaxGroups - first) {
      return Error{ErrorCode::kLimitExceeded, "the groups are more than 2^62"};
    }
    first += group_class.count;
    group_class.gamma = truth_in_2_to_64(epsilon, 1U << group_class.width);
    if (group_class.gamma == 0) {
      return Error{ErrorCode::kScaleTooLarge, "so small an epsilon leaves no information in an answer"};
    }
  }
  return {};
}

struct Groups {
  std::variant<GroupsOfLiterals, GroupsOfCharacters> kind;
  std::vector<GroupClass> classes;
};

Result<Groups> groups_of(const SampledSpec& spec, const Literals& literals) {
  const std::uint64_t d = literals.dimension();
  if (!spec.groups.empty()) return invalid("groups are given on characters only; literals have a group_size");
  if (spec.group_size > SampledChannel::kMaxWidth) {
    return Error{ErrorCode::kLimitExceeded, "group_size must be at most " + std::to_string(SampledChannel::kMaxWidth)};
  }
  if (spec.group_size < 1 || spec.group_size > d) {
    return invalid("group_size must be from 1 to the number of literals, " + std::to_string(d));
  }
  const std::uint64_t whole = d / spec.group_size;
  const auto rest = static_cast<std::uint32_t>(d % spec.group_size);
  std::vector<GroupClass> classes{{GroupKind::kRaw, 0, spec.group_size, 0, whole, whole, 0}};
  if (rest > 0) classes.push_back({GroupKind::kRaw, 0, rest, 0, 1, 1, 0});
  return Groups{GroupsOfLiterals{literals, spec.group_size}, std::move(classes)};
}

Result<Groups> groups_of(const SampledSpec& spec, const Characters& characters) {
  if (spec.group_size != 0) return invalid("group_size is given on literals only; characters have groups");
  HEARSAY_CHECK_OK(check_groups(spec.groups, characters));
  std::uint32_t largest = 1;
  for (const GroupWeight& group : spec.groups) largest = std::max(largest, group.attributes);
  std::vector<std::uint32_t> bits;
  for (std::size_t i = 0; i < characters.index().attributes(); ++i) bits.push_back(characters.index().bits(i));
  std::vector<std::uint32_t> ones(bits.size(), 1);
  HEARSAY_TRY(CharacterIndex index, CharacterIndex::create(std::move(bits), largest));
  HEARSAY_TRY(CharacterIndex sets, CharacterIndex::create(std::move(ones), largest));
  std::vector<GroupClass> classes;
  for (const GroupWeight& group : spec.groups) {
    classes.push_back({group.kind, group.attributes, width_of(group.kind, group.attributes), 0,
                       index.count(group.attributes), group.weight, 0});
  }
  return Groups{GroupsOfCharacters{characters, std::move(index), std::move(sets), spec.spread}, std::move(classes)};
}

// Probability that the attributes S of a group on s of them contain T: Π_T ω · e_{s-l}(ω outside T)/e_s(ω), each set
// being drawn in proportion to the product of its ω.
double subset_coverage(const GroupsOfCharacters& groups, std::uint32_t s, std::span<const std::uint32_t> attributes) {
  const CharacterIndex& index = groups.index;
  double chance = 1;
  if (groups.spread == Spread::kSubsets) {
    // ω = 1: C(k-l, s-l)/C(k, s); then each mask is one of s_i.
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      chance *= static_cast<double>(s - i) / static_cast<double>(index.attributes() - i);
      chance /= static_cast<double>(index.masks(attributes[i]));
    }
    return chance;
  }
  // ω_i = s_i, which the choice of the mask cancels.
  const std::size_t rest = s - attributes.size();
  std::vector<double> e(rest + 1, 0);
  e[0] = 1;
  for (std::uint32_t i = 0; i < index.attributes(); ++i) {
    if (std::binary_search(attributes.begin(), attributes.end(), i)) continue;
    for (std::size_t j = rest; j > 0; --j) e[j] += static_cast<double>(index.masks(i)) * e[j - 1];
  }
  return e[rest] / static_cast<double>(index.count(s));
}

bool equal(const Literals& a, const Literals& b) {
  return std::equal(a.blocks().begin(), a.blocks().end(), b.blocks().begin(), b.blocks().end(),
                    [](const AttributeBlock& x, const AttributeBlock& y) {
                      return x.size == y.size && x.sensitivity == y.sensitivity;
                    });
}

bool equal(const Characters& a, const Characters& b) {
  if (a.order() != b.order() || a.index().attributes() != b.index().attributes()) return false;
  for (std::size_t i = 0; i < a.index().attributes(); ++i) {
    if (a.index().bits(i) != b.index().bits(i)) return false;
  }
  return true;
}

}  // namespace

SampledChannel::SampledChannel(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Result<SampledChannel> SampledChannel::create(const SampledSpec& spec, const Arrangement& arrangement,
                                              const Epsilon& epsilon) {
  HEARSAY_TRY(Groups groups, std::visit([&](const auto& kind) { return groups_of(spec, kind); }, arrangement.kind()));
  HEARSAY_CHECK_OK(number_groups(groups.classes, epsilon));
  State state{std::move(groups.kind), arrangement.dimension(), std::move(groups.classes)};
  for (const GroupClass& group_class : state.classes) {
    state.total_weight += group_class.weight;
    state.groups += group_class.count;
    state.answer_bits = std::max(state.answer_bits, group_class.width);
  }
  const auto group_bits = static_cast<unsigned>(std::bit_width(state.groups - 1));
  state.payload_size = (group_bits + state.answer_bits + 7) / 8;
  return SampledChannel(std::make_shared<const State>(std::move(state)));
}

Result<SampledChannel> SampledChannel::with_gammas(std::span<const std::uint64_t> gammas) const {
  State state = *state_;
  if (gammas.size() != state.classes.size() || std::find(gammas.begin(), gammas.end(), 0) != gammas.end()) {
    return invalid("there must be one gamma above 0 for each class of groups");
  }
  for (std::size_t c = 0; c < gammas.size(); ++c) state.classes[c].gamma = gammas[c];
  return SampledChannel(std::make_shared<const State>(std::move(state)));
}

std::span<const GroupClass> SampledChannel::classes() const { return state_->classes; }
std::uint64_t SampledChannel::total_weight() const { return state_->total_weight; }
std::uint64_t SampledChannel::groups() const { return state_->groups; }
std::size_t SampledChannel::dimension() const { return state_->dimension; }
std::size_t SampledChannel::payload_size() const { return state_->payload_size; }

bool SampledChannel::is_over(const Arrangement& arrangement) const {
  if (const auto* groups = std::get_if<GroupsOfCharacters>(&state_->kind)) {
    const auto* characters = std::get_if<Characters>(&arrangement.kind());
    return characters != nullptr && equal(groups->characters, *characters);
  }
  const auto* literals = std::get_if<Literals>(&arrangement.kind());
  return literals != nullptr && equal(std::get<GroupsOfLiterals>(state_->kind).literals, *literals);
}

const GroupClass& SampledChannel::class_of(std::uint64_t group) const {
  std::size_t c = 0;
  while (group - state_->classes[c].first >= state_->classes[c].count) ++c;
  return state_->classes[c];
}

double SampledChannel::coverage(const GroupClass& group_class, std::span<const std::uint32_t> attributes) const {
  const double share = static_cast<double>(group_class.weight) / static_cast<double>(state_->total_weight);
  const auto* groups = std::get_if<GroupsOfCharacters>(&state_->kind);
  if (groups == nullptr) return share / static_cast<double>(group_class.count);
  if (!covers(group_class.kind, group_class.attributes, attributes.size())) return 0;
  return share * subset_coverage(*groups, group_class.attributes, attributes);
}

double SampledChannel::information(std::span<const std::uint32_t> attributes) const {
  double sum = 0;
  for (const GroupClass& group_class : state_->classes) {
    sum += gamma(group_class) * gamma(group_class) * coverage(group_class, attributes);
  }
  return sum;
}

double SampledChannel::literal_information(std::size_t coordinate) const {
  const auto& groups = std::get<GroupsOfLiterals>(state_->kind);
  const GroupClass& group_class = class_of(coordinate / groups.group_size);
  return gamma(group_class) * gamma(group_class) * coverage(group_class, {});
}

}  // namespace hearsay
