// The channel `sampled` over small schemas.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/arrangement/arrangement.h"
#include "common/channel/channel.h"
#include "tests/support/group_law.h"
#include "tests/support/questions.h"
#include "tests/support/small_domains.h"

namespace hearsay::tests {

// The parts of a task other than its schema and ε.
struct SampledCase {
  std::string name;
  std::string shape;  // as in small_domains.h
  ArrangementSpec arrangement;
  SampledSpec channel;
};

inline SampledSpec groups_of(std::vector<GroupWeight> groups) { return {.groups = std::move(groups)}; }

inline SampledSpec partition(std::uint32_t group_size) { return {.groups = {}, .group_size = group_size}; }

// Returns cases whose groups cover coordinates of the arrangement. The cases have every kind of group and of
// attribute, equal and unequal odds, groups on all attributes or on some, and partitions of literals.
inline std::vector<SampledCase> sampled_cases() {
  constexpr GroupKind kSingle = GroupKind::kSingle;
  constexpr GroupKind kRaw = GroupKind::kRaw;
  constexpr GroupKind kEven = GroupKind::kEven;
  std::vector<SampledCase> cases;
  const auto characters = [&](const std::string& shape, std::uint32_t order, std::vector<GroupWeight> groups) {
    const std::string name =
        shape + " of order " + std::to_string(order) + ", " + std::to_string(groups.size()) + " classes";
    const auto by_masks = with_odds(groups, odds_by_masks(schema_of(shape)));
    cases.push_back({name, shape, CharactersSpec{order}, groups_of(groups)});
    cases.push_back({name + " by masks", shape, CharactersSpec{order}, groups_of(by_masks)});
  };
  const auto some = [&](const std::string& shape, std::uint32_t order, std::vector<GroupWeight> groups) {
    cases.push_back({shape + ", some sets", shape, CharactersSpec{order}, groups_of(std::move(groups))});
  };
  characters("b", 1, {{kSingle, 1, 1}});
  characters("c3", 1, {{kSingle, 1, 5}});
  characters("b b b", 2, {{kSingle, 1, 2}, {kSingle, 2, 3}});
  characters("b c3", 2, {{kRaw, 2, 1}});
  characters("b b b b", 2, {{kSingle, 1, 1}, {kEven, 3, 4}});
  characters("c4 r3 b", 1, {{kRaw, 3, 1}});
  characters("b c3 r5", 2, {{kSingle, 1, 1}, {kRaw, 2, 3}, {kEven, 3, 2}});
  characters("b c3 b r4", 3, {{kSingle, 3, 7}, {kRaw, 3, 1}, {kRaw, 4, 2}, {kEven, 4, 1'000'003}});
  characters("b b b b b", 4, {{kRaw, 5, 1}, {kEven, 5, 1}});
  some("b c3 b r4", 2, {{kSingle, 1, 3, {1}}, {kSingle, 2, 2, {1, 3}, {}}, {kRaw, 2, 1, {0, 1, 3}, {1, 4, 2}}});
  some("b b b r5 b", 3, {{kSingle, 3, 1, {0, 2, 3, 4}, {7, 1, 1, 2}}, {kEven, 3, 5, {1, 2, 4}}, {kSingle, 1, 1}});
  for (const std::uint32_t size : {1U, 2U, 3U, 4U, 8U}) {
    cases.push_back({"literals by " + std::to_string(size), "b c3 r5 b", LiteralsSpec{}, partition(size)});
  }
  return cases;
}

// Returns cases whose questions are not parities of one bit: circles of one bit and of several bits; levels, alone and
// together; parities of several bits; and hashes. A circle over J values has J, 2J or 2J - 2 places. Some hashes have
// a number of answers that is not a power of two. The cases have every kind of group, groups on all attributes or on
// some, and equal and unequal odds. Other attributes of the cases have plain parities.
inline std::vector<SampledCase> sampled_question_cases() {
  constexpr GroupKind kSingle = GroupKind::kSingle;
  constexpr GroupKind kRaw = GroupKind::kRaw;
  constexpr GroupKind kEven = GroupKind::kEven;
  std::vector<SampledCase> cases;
  const auto add = [&](const std::string& shape, std::uint32_t order, std::vector<GroupWeight> groups,
                       std::vector<QuestionSpec> questions) {
    const std::string name = "questions " + std::to_string(cases.size()) + ": " + shape;
    cases.push_back(
        {name, shape, CharactersSpec{order}, {.groups = std::move(groups), .questions = std::move(questions)}});
  };
  const QuestionSpec plain;
  const std::vector<GroupWeight> one = {{kSingle, 1, 1}};
  const std::vector<GroupWeight> wide = {{kRaw, 1, 1}};
  add("r5", 1, one, {circle(5, 1, {1, 2}, {3, 1})});
  add("r5", 1, one, {circle(10, 1, {1, 3, 5}, {4, 2, 1})});
  add("r5", 1, one, {circle(8, 1, {1})});
  add("r6", 1, wide, {circle(6, 2, {1, 2, 3}, {5, 2, 1})});
  add("r8", 1, wide, {circle(8, 3, {1, 3})});
  add("r13", 1, one, {levels({{0}, {1}, {2}, {3}}, {1, 2, 3, 4})});
  add("r13", 1, wide, {levels({{0, 1, 3}, {0, 2, 3}, {1, 2, 3}}, {2, 1, 7})});
  add("c5", 1, wide, {parities(2)});
  add("c7", 1, wide, {parities(3)});
  add("b r5 c3", 2, {{kSingle, 1, 1}, {kSingle, 2, 2}, {kRaw, 2, 3}, {kEven, 3, 2}},
      {plain, circle(5, 1, {1, 2}, {2, 1}), plain});
  add("b r5 c5", 2,
      {{kSingle, 1, 1, {0}}, {kRaw, 1, 2, {1, 2}, {1, 3}}, {kRaw, 2, 1, {0, 1}}, {kRaw, 2, 3, {1, 2}}, {kRaw, 3, 1}},
      {plain, circle(5, 2, {1, 2}), parities(2)});
  add("r4 r6 b c3", 2,
      {{kSingle, 1, 3, {0, 1}, {2, 5}}, {kSingle, 2, 2, {0, 1, 3}, {3, 1, 1}}, {kRaw, 2, 1}, {kEven, 4, 2}},
      {circle(8, 1, {1, 3}), levels({{0}, {1}, {2}}, {1, 1, 4}), plain, plain});
  add("c3", 1, wide, {hash(3)});
  add("c5", 1, wide, {hash(3)});
  add("c6", 1, wide, {hash(5)});
  add("c5 b", 2, {{kSingle, 1, 2}, {kSingle, 2, 1}}, {hash(2), plain});
  add("b c6 c5", 2,
      {{kSingle, 1, 1, {0}}, {kRaw, 1, 2, {1, 2}, {1, 3}}, {kRaw, 2, 1, {0, 1}}, {kRaw, 2, 3, {1, 2}}, {kRaw, 3, 1}},
      {plain, hash(3), hash(3)});
  add("c6 r5 c5", 2, {{kRaw, 2, 1, {0, 2}}, {kRaw, 2, 3, {0, 1}}}, {hash(6), circle(5, 2, {1, 2}), hash(5)});
  return cases;
}

inline std::vector<SampledCase> all_sampled_cases() {
  std::vector<SampledCase> cases = sampled_cases();
  for (SampledCase& c : sampled_question_cases()) cases.push_back(std::move(c));
  return cases;
}

class SampledParts {
 public:
  static SampledParts create(const SampledCase& c, const std::string& epsilon) {
    Schema schema = schema_of(c.shape);
    Arrangement arrangement = Arrangement::create(c.arrangement, schema).value();
    Channel channel = Channel::create(c.channel, arrangement, Epsilon::parse(epsilon).value()).value();
    return {std::move(schema), std::move(arrangement), std::move(channel)};
  }

  const Schema& schema() const { return schema_; }
  const Arrangement& arrangement() const { return arrangement_; }
  const Channel& channel() const { return channel_; }
  const SampledChannel& sampled() const { return std::get<SampledChannel>(channel_.kind()); }

 private:
  SampledParts(Schema&& schema, Arrangement&& arrangement, Channel&& channel)
      : schema_(std::move(schema)), arrangement_(std::move(arrangement)), channel_(std::move(channel)) {}

  Schema schema_;
  Arrangement arrangement_;
  Channel channel_;
};

}  // namespace hearsay::tests
