// A task's choice of randomizer. An *arrangement* turns a record into numbers, called coordinates; a *channel*
// randomizes the coordinates. common/task/format.md describes the JSON.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace hearsay {

// The arrangement of the paper (Aldà and Simon 2014, section 6): one coordinate, +1 or -1, for each literal. A literal
// is a statement about one attribute, for example that a range is at least 30.
struct LiteralsSpec {
  bool operator==(const LiteralsSpec&) const = default;
};

// An arrangement that writes each value in binary, with bits +1 and -1. A coordinate is a product of bits of at most
// `order` attributes. Every function of at most `order` attributes is then a constant plus a weighted sum of
// coordinates.
struct CharactersSpec {
  std::uint32_t order = 2;  // 1 to the number of attributes
  bool operator==(const CharactersSpec&) const = default;
};

using ArrangementSpec = std::variant<LiteralsSpec, CharactersSpec>;

// How the scale of the noise follows from ε. Sensitivity is how far the coordinates of two records can be apart, in L1.
enum class LaplaceCalibration : std::uint8_t {
  kTight,  // by the arrangement's exact sensitivity, with one scale for each attribute
  kPaper,  // as in the paper: the homogeneous embedding (24) and the Cauchy–Schwarz bound of Lemma 8
};

// A channel that adds discrete Laplace noise to every coordinate.
struct LaplaceSpec {
  LaplaceCalibration calibration = LaplaceCalibration::kTight;

  // How kTight divides ε among the attributes: attribute b gets ε·shares[b]/Σshares. One positive integer for each
  // attribute. If empty, the shares are in proportion to the attributes' sensitivities, and all coordinates have the
  // common scale Δ/ε, where Δ is the sensitivity of the whole record.
  std::vector<std::uint32_t> shares;
  bool operator==(const LaplaceSpec&) const = default;
};

// What a report of `sampled` on `characters` answers. The report takes s attributes, and of each attribute the parity
// of some of its bits. That makes s bits of the record; the kind says which products of them are answered.
enum class GroupKind : std::uint8_t {
  kSingle,  // the product of all s bits; 1 bit is answered
  kRaw,     // the s bits themselves, hence all their products; s bits are answered
  kEven,    // s-1 products of two bits, hence all products of an even number of bits; s-1 bits are answered
};

// Groups of one kind and size, and how often they are asked. A report of these groups first draws a set of `size`
// attributes, in proportion to the product of their odds, and then the parity of each, all of them equally likely.
struct GroupWeight {
  GroupKind kind = GroupKind::kSingle;
  std::uint32_t size = 1;    // s: at least 1; at least 2 for kRaw and 3 for kEven; at most 16 bits are answered
  std::uint32_t weight = 1;  // at least 1; a report is of these groups with probability weight/Σweights
  // The attributes that may be asked, ascending, at least `size` of them. If empty, all attributes of the schema. With
  // exactly `size` attributes, the one set of these.
  std::vector<std::uint32_t> attributes = {};
  // One integer from 1 to 2^20 for each of these attributes. If empty, 1 for each.
  std::vector<std::uint32_t> odds = {};
  bool operator==(const GroupWeight&) const = default;
};

// A channel that answers about one group of coordinates in each report, by randomized response. The group is drawn at
// random, independently of the record, and is public.
struct SampledSpec {
  // For the arrangement `characters`: which groups are asked. At least one element; no two elements are alike but for
  // their weights. A query can be answered if some group covers each coordinate that the query needs.
  std::vector<GroupWeight> groups;

  // For the arrangement `literals`: the number of coordinates in a group, 1 to 16. The coordinates are cut, in order,
  // into groups of this size; the last group may be smaller. All groups are equally likely. 0 for `characters`.
  std::uint32_t group_size = 0;
  bool operator==(const SampledSpec&) const = default;
};

using ChannelSpec = std::variant<LaplaceSpec, SampledSpec>;

}  // namespace hearsay
