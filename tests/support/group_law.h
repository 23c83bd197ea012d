// Computes the probability that a report of `sampled` asks about a group, from the definition in hearsay/mechanism.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/channel/questions.h"
#include "common/channel/sampled.h"
#include "hearsay/schema.h"

namespace hearsay::tests {

// Returns 2^b - 1 for each attribute of b bits: the number of its non-empty sets of bits. With these odds, all groups
// of one size are equally likely.
inline std::vector<std::uint32_t> odds_by_masks(const Schema& schema) {
  std::vector<std::uint32_t> odds;
  for (const Attribute& attribute : schema.attributes()) odds.push_back((1U << bits_of(attribute)) - 1);
  return odds;
}

// Returns `groups` with their odds replaced by `odds`.
inline std::vector<GroupWeight> with_odds(std::vector<GroupWeight> groups, const std::vector<std::uint32_t>& odds) {
  for (GroupWeight& group : groups) group.odds = odds;
  return groups;
}

// Returns the probability of the group within its class. `spec` lists the classes in the channel's order.
inline double chance_within_class(const Schema& schema, const SampledSpec& spec, const SampledChannel& channel,
                                  std::uint64_t group) {
  const SampledChannel::GroupClass& group_class = channel.class_of(group);
  if (spec.groups.empty()) return 1 / static_cast<double>(group_class.count);
  const GroupWeight& weight = spec.groups[static_cast<std::size_t>(&group_class - channel.classes().data())];
  std::vector<double> odds(schema.size(), weight.attributes.empty() ? 1 : 0);
  for (const std::uint32_t i : weight.attributes) odds[i] = 1;
  for (std::size_t i = 0; i < weight.odds.size(); ++i)
    odds[weight.attributes.empty() ? i : weight.attributes[i]] = weight.odds[i];
  // sums[l] is the sum, over all sets of l attributes, of the product of their odds.
  std::vector<double> sums(weight.size + 1, 0);
  sums[0] = 1;
  for (const double odd : odds) {
    for (std::size_t l = weight.size; l > 0; --l) sums[l] += odd * sums[l - 1];
  }
  std::vector<Factor> factors(weight.size);
  channel.factors(group, factors);
  double chance = 1 / sums.back();
  for (const auto& [attribute, mask] : factors) {
    double of_question = 1 / (std::exp2(bits_of(schema[attribute])) - 1);
    if (!spec.questions.empty()) {
      const Questions& questions = channel.questions(attribute);
      const Questions::Member& member = questions.member_of(mask - 1);
      of_question = static_cast<double>(member.weight) / static_cast<double>(questions.total_weight()) / member.count;
    }
    chance *= odds[attribute] * of_question;
  }
  return chance;
}

}  // namespace hearsay::tests
