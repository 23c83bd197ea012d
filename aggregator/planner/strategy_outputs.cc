#include "aggregator/planner/strategy_outputs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "common/channel/channel.h"
#include "common/channel/questions.h"
#include "common/schema/universe.h"
#include "common/task/coarsening.h"

namespace hearsay::planner {
namespace {

// Says how often reports draw each group. A report draws a class of groups by the class's weight. Within the class, a
// group's chance is proportional to a product over its attributes: the attribute's odds, times the share of the group's
// question among the questions about this attribute. So sets of attributes with equal odds are equally likely.
class GroupChances {
 public:
  GroupChances(const Task& task, const SampledChannel& channel)
      : groups_(std::get<SampledSpec>(task.spec().channel).groups), channel_(channel), sums_(channel.classes().size()) {
    for (std::uint64_t group = 0; group < channel.groups(); ++group) sums_[class_of(group)] += in_class(group);
  }

  double chance(std::uint64_t group) const {
    const std::size_t of = class_of(group);
    const double of_class =
        static_cast<double>(channel_.classes()[of].weight) / static_cast<double>(channel_.total_weight());
    return of_class * in_class(group) / sums_[of];
  }

 private:
  std::size_t class_of(std::uint64_t group) const {
    return static_cast<std::size_t>(&channel_.class_of(group) - channel_.classes().data());
  }

  double odds(std::size_t of, std::uint32_t attribute) const {
    if (groups_[of].odds.empty()) return 1;
    const auto& attributes = groups_[of].attributes;
    if (attributes.empty()) return groups_[of].odds[attribute];
    const auto at = std::lower_bound(attributes.begin(), attributes.end(), attribute);
    return groups_[of].odds[static_cast<std::size_t>(at - attributes.begin())];
  }

  double in_class(std::uint64_t group) const {
    const std::size_t of = class_of(group);
    std::vector<Factor> factors(channel_.classes()[of].size);
    channel_.factors(group, factors);
    double chance = 1;
    for (const Factor& factor : factors) {
      const Questions& questions = channel_.questions(factor.attribute);
      chance *= odds(of, factor.attribute);
      if (questions.are_parities()) {
        chance /= questions.count();
      } else {
        const Questions::Member& member = questions.member_of(factor.mask - 1);
        chance *= static_cast<double>(member.weight) / static_cast<double>(questions.total_weight()) / member.count;
      }
    }
    return chance;
  }

  const std::vector<GroupWeight>& groups_;  // one for each class
  const SampledChannel& channel_;
  std::vector<double> sums_;  // for each class: Σ in_class() over the class's groups
};

}  // namespace

StrategySets outputs_of(const Task& task, std::size_t most) {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 20U;
  StrategySets result;
  const auto* sampled = std::get_if<SampledChannel>(&task.channel().kind());
  if (sampled == nullptr || !std::holds_alternative<Characters>(task.arrangement().kind())) return result;
  std::uint64_t pairs = 0;
  for (const auto& of : sampled->classes()) pairs += of.count << of.width;
  if (pairs > kMostPairs) return result;
  std::vector<Record> records = universe_of(task.schema());
  if (const Coarsening* cells = task.coarsening()) {
    for (Record& record : records) record = cells->coarse(record);
  }
  std::map<std::vector<bool>, double> weights;
  const GroupChances chances(task, *sampled);
  for (std::uint64_t group = 0; group < sampled->groups(); ++group) {
    const SampledChannel::GroupClass& of = sampled->class_of(group);
    std::map<std::uint32_t, std::vector<bool>> sets;
    for (std::size_t x = 0; x < records.size(); ++x) {
      // With the coin 0, answer() returns the true answer.
      std::vector<bool>& set = sets[sampled->answer({group, 0, 0}, records[x])];
      set.resize(records.size(), false);
      set[x] = true;
    }
    // Computes 1 - γ from the integer 2^64 - gamma. In floating point, 1 - γ would be rounded to 0 at large ε.
    const double untrue = std::ldexp(static_cast<double>(~of.gamma) + 1, -64) / of.answers;
    const double weight = chances.chance(group) * untrue;
    for (const auto& [answer, set] : sets) weights[set] += weight;
  }
  std::vector<std::pair<double, const std::vector<bool>*>> order;
  for (const auto& [set, weight] : weights) order.emplace_back(weight, &set);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
    result.sets.push_back(*order[k].second);
    result.weights.push_back(order[k].first);
  }
  return result;
}

}  // namespace hearsay::planner
