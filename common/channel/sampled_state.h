// What a SampledChannel holds. The source files of SampledChannel share this header.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "common/channel/questions.h"
#include "common/channel/sampled.h"

namespace hearsay {

struct GroupsOfLiterals {
  Literals literals;
  std::uint32_t group_size;
};

// The groups of one class on `characters`. `groups` and `sets` number attributes by their places in `attributes`.
struct AskedGroups {
  std::vector<std::uint32_t> attributes;  // the schema's attributes that may be asked, ascending
  // Numbers the groups. masks(i) is the number of questions about attribute i.
  CharacterIndex groups;
  // Numbers sets of attributes. masks(i) is the odds of attribute i, so a uniform rank draws a set in proportion to the
  // product of its attributes' odds.
  CharacterIndex sets;
  bool equal_odds;
};

struct GroupsOfCharacters {
  Characters characters;
  std::vector<Questions> questions;  // one element for each attribute of the schema
  bool are_parities;                 // true if all questions are parities of one bit
  std::vector<AskedGroups> of_class;
};

struct SampledChannel::State {
  std::variant<GroupsOfLiterals, GroupsOfCharacters> kind;
  std::size_t dimension;
  std::vector<GroupClass> classes;
  std::vector<std::uint64_t> weight_up_to;  // for each class: the sum of its weight and the weights before it
  std::uint64_t total_weight = 0;
  std::uint64_t groups = 0;
  std::uint32_t answer_bits = 0;  // bits of the widest class's answers
  std::size_t payload_size = 0;
};

// Returns true if the report of a group on s attributes tells the product of the answers about any l of them.
inline bool covers(GroupKind kind, std::uint32_t s, std::size_t l) {
  if (l < 1 || l > s) return false;
  if (kind == GroupKind::kSingle) return l == s;
  return kind == GroupKind::kRaw || l % 2 == 0;
}

}  // namespace hearsay
