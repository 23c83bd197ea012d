// Computes which attributes groups ask about, which coordinates they cover, and with which probabilities. For
// statistics.

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "common/channel/sampled.h"
#include "common/channel/sampled_state.h"

namespace hearsay {
namespace {

using GroupClass = SampledChannel::GroupClass;

// Returns the places of these attributes among all attributes that the groups may ask. Leaves out attributes that the
// groups may not ask.
std::vector<std::uint32_t> places_of(const AskedGroups& asked, std::span<const std::uint32_t> attributes) {
  std::vector<std::uint32_t> places;
  for (const std::uint32_t attribute : attributes) {
    const auto at = std::lower_bound(asked.attributes.begin(), asked.attributes.end(), attribute);
    if (at == asked.attributes.end() || *at != attribute) continue;
    places.push_back(static_cast<std::uint32_t>(at - asked.attributes.begin()));
  }
  return places;
}

// Returns true if the groups may ask all of the attributes. Allocates nothing, since estimates call this for many sets
// of attributes and classes.
bool may_ask(const AskedGroups& asked, std::span<const std::uint32_t> attributes) {
  return std::all_of(attributes.begin(), attributes.end(), [&](std::uint32_t attribute) {
    return std::binary_search(asked.attributes.begin(), asked.attributes.end(), attribute);
  });
}

// Returns the elementary symmetric polynomial e_l of the odds of all attributes except those at `places` (ascending).
double symmetric_outside(const AskedGroups& asked, std::size_t l, std::span<const std::uint32_t> places) {
  std::vector<double> e(l + 1, 0);
  e[0] = 1;
  for (std::uint32_t i = 0; i < asked.sets.attributes(); ++i) {
    if (std::binary_search(places.begin(), places.end(), i)) continue;
    for (std::size_t j = l; j > 0; --j) e[j] += static_cast<double>(asked.sets.masks(i)) * e[j - 1];
  }
  return e[l];
}

double binomial(std::size_t n, std::size_t k) {
  double product = 1;
  for (std::size_t i = 0; i < k; ++i) product *= static_cast<double>(n - i) / static_cast<double>(k - i);
  return product;
}

// Returns the probability that a group of s attributes asks about all of `inside` and none of `outside`, both given as
// places. A set of attributes is drawn in proportion to the product of its odds o_i. With l attributes inside, the
// probability is Π_inside o_i · e_{s-l}(odds of the attributes in neither list)/e_s(all odds).
double chance(const AskedGroups& asked, std::uint32_t s, std::span<const std::uint32_t> inside,
              std::span<const std::uint32_t> outside) {
  const std::size_t rest = s - inside.size();
  const std::size_t excluded = inside.size() + outside.size();
  if (rest > asked.sets.attributes() - excluded) return 0;
  if (asked.equal_odds) {
    return binomial(asked.sets.attributes() - excluded, rest) / binomial(asked.sets.attributes(), s);
  }
  double chance = 1;
  for (const std::uint32_t i : inside) chance *= static_cast<double>(asked.sets.masks(i));
  std::vector<std::uint32_t> places;
  std::merge(inside.begin(), inside.end(), outside.begin(), outside.end(), std::back_inserter(places));
  return chance * symmetric_outside(asked, rest, places) / static_cast<double>(asked.sets.count(s));
}

}  // namespace

CharacterIndex::Ranks SampledChannel::groups_on(const GroupClass& group_class,
                                                std::span<const std::uint32_t> attributes) const {
  const AskedGroups& asked = asked_by(group_class);
  if (attributes.size() != group_class.size || !may_ask(asked, attributes)) return {group_class.first, 0};
  const CharacterIndex::Ranks ranks = asked.groups.ranks_on(places_of(asked, attributes));
  return {group_class.first + ranks.first, ranks.size};
}

void SampledChannel::require_coordinates() const {
  const auto* groups = std::get_if<GroupsOfCharacters>(&state_->kind);
  if (groups != nullptr && !groups->are_parities) throw std::logic_error("the groups cover no coordinates");
}

double SampledChannel::coverage(const GroupClass& group_class, std::span<const std::uint32_t> attributes) const {
  require_coordinates();
  if (std::holds_alternative<GroupsOfLiterals>(state_->kind)) {
    return static_cast<double>(group_class.weight) /
           (static_cast<double>(state_->total_weight) * static_cast<double>(group_class.count));
  }
  if (!covers(group_class.kind, group_class.size, attributes.size())) return 0;
  return probability(group_class, attributes, {});
}

double SampledChannel::asks_about(const GroupClass& group_class, std::span<const std::uint32_t> inside,
                                  std::span<const std::uint32_t> outside) const {
  const AskedGroups& asked = asked_by(group_class);
  if (inside.size() > group_class.size || !may_ask(asked, inside)) return 0;
  return static_cast<double>(group_class.weight) / static_cast<double>(state_->total_weight) *
         chance(asked, group_class.size, places_of(asked, inside), places_of(asked, outside));
}

// All questions are parities, and all masks of an attribute are equally likely.
double SampledChannel::probability(const GroupClass& group_class, std::span<const std::uint32_t> inside,
                                   std::span<const std::uint32_t> outside) const {
  require_coordinates();
  double probability = asks_about(group_class, inside, outside);
  const CharacterIndex& index = std::get<GroupsOfCharacters>(state_->kind).characters.index();
  for (const std::uint32_t i : inside) probability /= static_cast<double>(index.masks(i));
  return probability;
}

bool SampledChannel::covers_sets_of(const GroupClass& group_class, std::size_t attributes) {
  return covers(group_class.kind, group_class.size, attributes);
}

bool SampledChannel::asks(std::span<const std::uint32_t> attributes) const {
  const std::vector<AskedGroups>& asked = std::get<GroupsOfCharacters>(state_->kind).of_class;
  for (std::size_t c = 0; c < asked.size(); ++c) {
    const GroupClass& group_class = state_->classes[c];
    if (covers(group_class.kind, group_class.size, attributes.size()) && may_ask(asked[c], attributes)) return true;
  }
  return false;
}

double SampledChannel::information(std::span<const std::uint32_t> attributes) const {
  double sum = 0;
  for (const GroupClass& group_class : state_->classes) {
    sum += gamma(group_class) * gamma(group_class) * coverage(group_class, attributes);
  }
  return sum;
}

double SampledChannel::set_information(std::span<const std::uint32_t> attributes) const {
  double sum = 0;
  for (const GroupClass& group_class : state_->classes) {
    if (!covers_sets_of(group_class, attributes.size())) continue;
    sum += gamma(group_class) * gamma(group_class) * asks_about(group_class, attributes, {});
  }
  return sum;
}

double SampledChannel::literal_information(std::size_t coordinate) const {
  const auto& groups = std::get<GroupsOfLiterals>(state_->kind);
  const GroupClass& group_class = class_of(coordinate / groups.group_size);
  return gamma(group_class) * gamma(group_class) * coverage(group_class, {});
}

}  // namespace hearsay
