// Symbols: W_κ = probability of group class κ; T = a set of attributes; g_j = query q's weight on coordinate j; e_qT =
// Σ g_j² over the coordinates on T; A_κT = γ_κ² times the probability that a group of κ covers a given coordinate on T;
// I_T = Σ_κ W_κ·A_κT.

#include "aggregator/planner/group_weights.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <span>

#include "aggregator/planner/saddle_point.h"
#include "common/base/try.h"
#include "common/channel/sampled.h"

namespace hearsay::planner {
namespace {

using AttributeSet = std::vector<std::uint32_t>;

using Information = SetInformation;  // A_κT

// Answers of more than ε/ln 2 + 3 bits are nearly always noise: with more bits, the information K·γ² decreases. K is
// the number of answers, and γ the probability of a true answer.
std::uint32_t most_useful_bits(const Epsilon& epsilon) {
  const double useful = epsilon.approximate() / std::log(2.0) + 3;
  return static_cast<std::uint32_t>(std::min<double>(useful, SampledChannel::kMaxWidth));
}

std::vector<std::uint32_t> masks_of(const Characters& characters) {
  std::vector<std::uint32_t> masks;
  for (std::size_t i = 0; i < characters.index().attributes(); ++i) {
    masks.push_back(static_cast<std::uint32_t>(characters.index().masks(i)));
  }
  return masks;
}

// Returns the most attributes that a group may have. Groups of more attributes would be too many to number.
std::uint32_t largest_size(const std::vector<std::uint32_t>& masks, std::uint32_t order) {
  auto most = static_cast<std::uint32_t>(std::min<std::size_t>(masks.size(), SampledChannel::kMaxWidth + 1));
  for (; most > order; --most) {
    const auto index = CharacterIndex::create(masks, most);
    if (index && index->count(most) < CharacterIndex::kMaxCount / 64) break;
  }
  return most;
}

// Returns groups on any of the attributes. `masks` has the number of masks of each attribute.
std::vector<GroupWeight> groups_on_any(const std::vector<std::uint32_t>& masks, std::uint32_t order,
                                       std::uint32_t most_bits, GroupChoice choice) {
  std::vector<GroupWeight> groups;
  for (std::uint32_t l = 1; l <= order; ++l) groups.push_back({GroupKind::kSingle, l});
  if (choice == GroupChoice::kSingles) return groups;
  const std::uint32_t largest = largest_size(masks, order);
  for (std::uint32_t s = 2; s <= std::min(most_bits, largest); ++s) groups.push_back({GroupKind::kRaw, s});
  // An even group answers products of an even number of attributes. For order 1 such a group tells nothing.
  for (std::uint32_t s = 3; order >= 2 && s <= std::min(most_bits + 1, largest); ++s) {
    groups.push_back({GroupKind::kEven, s});
  }
  return groups;
}

AttributeSet touched(const std::map<AttributeSet, std::size_t>& sets) {
  std::set<std::uint32_t> all;
  for (const auto& [set, number] : sets) all.insert(set.begin(), set.end());
  return {all.begin(), all.end()};
}

// Returns the sets, and unions of the sets, that have at most `most` attributes. The smallest come first. Stops at
// kMany sets.
std::vector<AttributeSet> unions(const std::map<AttributeSet, std::size_t>& sets, std::size_t most) {
  constexpr std::size_t kMany = 2048;
  std::set<std::pair<std::size_t, AttributeSet>> found;
  for (const auto& [set, number] : sets) {
    if (set.size() <= most) found.emplace(set.size(), set);
  }
  for (auto next = found.begin(); next != found.end() && found.size() < kMany; ++next) {
    for (const auto& [set, number] : sets) {
      AttributeSet both;
      std::ranges::set_union(next->second, set, std::back_inserter(both));
      if (both.size() <= most && both.size() > next->first) found.emplace(both.size(), std::move(both));
      if (found.size() >= kMany) break;
    }
  }
  std::vector<AttributeSet> list;
  for (const auto& [size, set] : found) list.push_back(set);
  return list;
}

// Returns groups on the sets of attributes that queries need, and on unions of these sets.
std::vector<GroupWeight> groups_on_needed(const std::map<AttributeSet, std::size_t>& sets, std::uint32_t most_bits,
                                          GroupChoice choice) {
  std::vector<GroupWeight> groups;
  for (const auto& [set, number] : sets) {
    groups.push_back({GroupKind::kSingle, static_cast<std::uint32_t>(set.size()), 1, set});
  }
  if (choice == GroupChoice::kSingles) return groups;
  for (const AttributeSet& set : unions(sets, most_bits + 1)) {
    const auto size = static_cast<std::uint32_t>(set.size());
    if (size >= 2 && size <= most_bits) groups.push_back({GroupKind::kRaw, size, 1, set});
    const bool has_pairs = std::ranges::any_of(sets, [&](const auto& needed) {
      return needed.first.size() % 2 == 0 && std::ranges::includes(set, needed.first);
    });
    if (size >= 3 && has_pairs) groups.push_back({GroupKind::kEven, size, 1, set});
  }
  return groups;
}

Information information_per_weight(const SampledChannel& channel, const std::map<AttributeSet, std::size_t>& sets) {
  const auto classes = static_cast<double>(channel.classes().size());  // a report draws each class equally often
  Information information;
  for (const SampledChannel::GroupClass& group_class : channel.classes()) {
    std::vector<double>& row = information.emplace_back(sets.size());
    for (const auto& [attributes, t] : sets) {
      row[t] = classes * std::pow(channel.gamma(group_class), 2) * channel.coverage(group_class, attributes);
    }
  }
  return information;
}

// Returns I_T for each set T.
std::vector<double> total(const Information& information, std::span<const double> weights) {
  std::vector<double> sum(information.front().size(), 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    for (std::size_t t = 0; t < sum.size(); ++t) sum[t] += weights[k] * information[k][t];
  }
  return sum;
}

// Returns integer weights. `information` says which sets of attributes a group covers. Leaves out groups of little
// weight, unless the information about a set would fall below half.
std::vector<GroupWeight> rounded(std::span<const GroupWeight> groups, std::span<const double> weights,
                                 const Information& information) {
  constexpr double kTotal = 1U << 30U;
  const std::size_t sets = information.front().size();
  const double little = 0x1p-12 / static_cast<double>(sets);
  std::vector<double> kept(weights.begin(), weights.end());
  for (double& weight : kept) weight = weight < little ? 0 : weight;
  const std::vector<double> before = total(information, weights);
  const std::vector<double> after = total(information, kept);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    for (std::size_t t = 0; t < sets; ++t) {
      if (information[k][t] > 0 && after[t] < before[t] / 2) kept[k] = weights[k];
    }
  }
  std::vector<GroupWeight> result;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (kept[k] == 0) continue;
    result.push_back(groups[k]);
    result.back().weight = std::max(1U, static_cast<std::uint32_t>(std::lround(kept[k] * kTotal)));
  }
  return result;
}

}  // namespace

Result<GroupPlanner> GroupPlanner::create(const Schema& schema, std::uint32_t order, const Epsilon& epsilon,
                                          std::vector<Query> queries, std::vector<double> weights,
                                          const std::vector<WeightedFunction>& functions) {
  HEARSAY_TRY(Characters characters, Characters::create(schema, order));
  GroupPlanner planner(schema, std::move(characters), epsilon, std::move(queries));
  planner.weights_ = std::move(weights);
  planner.weights_.resize(planner.queries_.size(), 1);
  const compiler::SubsetVariance equal = [](std::span<const std::uint32_t>) { return 1.0; };
  for (std::size_t q = 0; q < planner.queries_.size(); ++q) {
    HEARSAY_TRY(SetEnergy energy, planner.energy_of(q, equal));
    planner.energies_.push_back(std::move(energy));
  }
  for (const WeightedFunction& function : functions) planner.add_function(function);
  if (planner.sets_.empty()) {
    return Error{ErrorCode::kInvalidArgument, "all queries are constant: there is nothing to plan"};
  }
  return planner;
}

// Coordinates on one attribute set are consecutive, so a new set begins at each coordinate beyond the present set's
// coordinates.
Result<SetEnergy> GroupPlanner::energy_of(std::size_t query, const compiler::SubsetVariance& variance) {
  compiler::Work work;
  HEARSAY_TRY(const compiler::LinearQuery linear, compiler::stoppable([&] {
                return compiler::compile_characters(queries_[query], *schema_, characters_, variance, work);
              }));
  SetEnergy energy;
  std::uint64_t end = 0;
  for (const compiler::LinearQuery::Weight& weight : linear.weights) {
    if (weight.coordinate >= end) {
      const AttributeSet attributes = characters_.attributes(weight.coordinate);
      const CharacterIndex::Ranks ranks = characters_.coordinates_on(attributes);
      end = ranks.first + ranks.size;
      energy.emplace_back(sets_.emplace(attributes, sets_.size()).first->second, 0.0);
    }
    energy.back().second += weights_[query] * weight.value * weight.value;
  }
  return energy;
}

// Bit patterns without a value get the mean of the function.
void GroupPlanner::add_function(const WeightedFunction& function) {
  const ProductFunction::Part& part = function.function.parts.front();
  const auto count = static_cast<double>(part.values.size());
  const double mean = std::accumulate(part.values.begin(), part.values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : part.values) squares += (value - mean) * (value - mean);
  const double patterns = std::exp2(bits_of((*schema_)[part.attribute]));
  const std::size_t set = sets_.emplace(AttributeSet{part.attribute}, sets_.size()).first->second;
  energies_.push_back({{set, function.weight * squares / patterns}});
}

std::vector<GroupWeight> GroupPlanner::candidates(GroupChoice choice, SetChoice sets) const {
  const std::uint32_t most_bits = most_useful_bits(epsilon_);
  if (sets == SetChoice::kNeeded) return groups_on_needed(sets_, most_bits, choice);
  const bool some = sets == SetChoice::kTouched || sets == SetChoice::kTouchedByMasks;
  const AttributeSet attributes = some ? touched(sets_) : AttributeSet{};
  std::vector<std::uint32_t> masks;
  for (const std::uint32_t i : attributes) masks.push_back(static_cast<std::uint32_t>(characters_.index().masks(i)));
  if (!some) masks = masks_of(characters_);
  const auto order = std::min(characters_.order(), static_cast<std::uint32_t>(masks.size()));
  std::vector<GroupWeight> groups = groups_on_any(masks, order, most_bits, choice);
  const bool by_masks = sets == SetChoice::kByMasks || sets == SetChoice::kTouchedByMasks;
  const bool equal = std::ranges::adjacent_find(masks, std::not_equal_to<>()) == masks.end();
  for (GroupWeight& group : groups) {
    group.attributes = attributes;
    // Sets odds only if the odds differ, so that best_mixture() can join equal groups.
    if (by_masks && group.size < masks.size() && !equal) group.odds = masks;
  }
  return groups;
}

Result<SampledSpec> GroupPlanner::plan(GroupChoice choice, SetChoice sets) const {
  constexpr double kActive = 1e-4;
  HEARSAY_TRY(const Arrangement arrangement, Arrangement::create(CharactersSpec{characters_.order()}, *schema_));
  SampledSpec spec{.groups = candidates(choice, sets)};
  HEARSAY_TRY(const SampledChannel channel, SampledChannel::create(spec, arrangement, epsilon_));
  const Information information = information_per_weight(channel, sets_);
  SaddlePoint saddle = saddle_point(information, energies_);

  // The best continuation of a query to bit patterns without a value depends on the weights. A better continuation can
  // only lower a variance. So the code compiles only the queries with the largest variances again.
  const compiler::SubsetVariance variance = [&](std::span<const std::uint32_t> attributes) {
    double present = 0;
    for (std::size_t k = 0; k < saddle.weights.size(); ++k) {
      const SampledChannel::GroupClass& group_class = channel.classes()[k];
      present +=
          saddle.weights[k] * std::pow(channel.gamma(group_class), 2) * channel.coverage(group_class, attributes);
    }
    return 1 / present;
  };
  GroupPlanner refined = *this;
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    if (saddle.lambda[q] < kActive || energies_[q].empty()) continue;
    HEARSAY_TRY(refined.energies_[q], refined.energy_of(q, variance));
  }
  saddle = saddle_point(information, refined.energies_);
  spec.groups = rounded(spec.groups, saddle.weights, information);
  return spec;
}

Result<SampledSpec> uniform_singles(const Schema& schema, std::uint32_t order) {
  HEARSAY_TRY(const Characters characters, Characters::create(schema, order));
  SampledSpec spec;
  for (std::uint32_t l = 1; l <= order; ++l) {
    const auto count = static_cast<std::uint32_t>(characters.index().count(l));
    spec.groups.push_back({GroupKind::kSingle, l, count, {}, masks_of(characters)});
  }
  return spec;
}

}  // namespace hearsay::planner
