// What a SampledChannel holds. Its source files share this header.
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

// The groups of one class on `characters`. Places are counted within `attributes`.
struct AskedGroups {
  std::vector<std::uint32_t> attributes;  // those of the schema that may be asked, ascending
  // Numbers the groups. masks(i) is the number of questions about attribute i.
  CharacterIndex groups;
  // masks(i) is the odds of attribute i, so a uniform rank draws a set of attributes by their odds.
  CharacterIndex sets;
  bool equal_odds;
};

struct GroupsOfCharacters {
  Characters characters;
  std::vector<Questions> questions;  // one per attribute of the schema
  bool are_parities;                 // all of them
  std::vector<AskedGroups> of_class;
};

struct SampledChannel::State {
  std::variant<GroupsOfLiterals, GroupsOfCharacters> kind;
  std::size_t dimension;
  std::vector<GroupClass> classes;
  std::vector<std::uint64_t> weight_up_to;  // per class: Σ of the weights of this one and those before
  std::uint64_t total_weight = 0;
  std::uint64_t groups = 0;
  std::uint32_t answer_bits = 0;  // of the widest class
  std::size_t payload_size = 0;
};

// Returns true if a group on s attributes has coordinates on l of them, or products of the answers about l of them.
inline bool covers(GroupKind kind, std::uint32_t s, std::size_t l) {
  if (l < 1 || l > s) return false;
  if (kind == GroupKind::kSingle) return l == s;
  return kind == GroupKind::kRaw || l % 2 == 0;
}

}  // namespace hearsay
