// What a SampledChannel holds; shared by its source files.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "common/channel/sampled.h"

namespace hearsay {

struct GroupsOfLiterals {
  Literals literals;
  std::uint32_t group_size;
};

struct GroupsOfCharacters {
  Characters characters;
  CharacterIndex index;  // of characters on as many attributes as any group has, maybe more than the order
  CharacterIndex sets;   // the same with one bit an attribute: numbers sets of attributes
  Spread spread;
};

struct SampledChannel::State {
  std::variant<GroupsOfLiterals, GroupsOfCharacters> kind;
  std::size_t dimension;
  std::vector<GroupClass> classes;
  std::uint64_t total_weight = 0;
  std::uint64_t groups = 0;
  std::uint32_t answer_bits = 0;  // of the widest class
  std::size_t payload_size = 0;
};

}  // namespace hearsay
