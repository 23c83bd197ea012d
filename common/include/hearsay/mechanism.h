// What a task says about its randomizer: which arrangement, which channel. See common/task/format.md for the JSON.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace hearsay {

// One ±1 coordinate per literal (Aldà and Simon 2014, section 6).
struct LiteralsSpec {
  bool operator==(const LiteralsSpec&) const = default;
};

// Products of bits of at most `order` attributes: every function of so many attributes is affine in them.
struct CharactersSpec {
  std::uint32_t order = 2;  // 1 to the number of attributes
  bool operator==(const CharactersSpec&) const = default;
};

using ArrangementSpec = std::variant<LiteralsSpec, CharactersSpec>;

enum class LaplaceCalibration : std::uint8_t {
  kTight,  // the arrangement's exact L1 sensitivity, one scale per attribute
  kPaper,  // the homogeneous embedding (24) and the Cauchy–Schwarz bound of Lemma 8
};

// Discrete Laplace noise on every coordinate.
struct LaplaceSpec {
  LaplaceCalibration calibration = LaplaceCalibration::kTight;
  // kTight only: attribute b is randomized with ε·shares[b]/Σshares. One positive integer per attribute; empty stands for
  // shares in proportion to the attributes' sensitivities, which gives all coordinates one common scale Δ/ε.
  std::vector<std::uint32_t> shares;
  bool operator==(const LaplaceSpec&) const = default;
};

// What a group of `sampled` on `characters` asks about. It has `attributes` attributes, s for short, and one parity of
// bits (a character of one attribute) of each of them: s bits of the record.
enum class GroupKind : std::uint8_t {
  kSingle,  // the product of the s bits: 1 bit
  kRaw,     // the s bits themselves, and so all their products: s bits
  kEven,    // s-1 products of two of them, and so all products of an even number: s-1 bits
};

struct GroupWeight {
  GroupKind kind = GroupKind::kSingle;
  std::uint32_t attributes = 1;  // s: at least 1, 2 for kRaw, 3 for kEven; at most 16 bits are asked
  std::uint32_t weight = 1;      // such a group is drawn with probability weight/Σweights; at least 1
  bool operator==(const GroupWeight&) const = default;
};

// Among the groups of one GroupWeight.
enum class Spread : std::uint8_t {
  kSubsets,      // all sets of attributes are equally likely, then all parities of their bits
  kCoordinates,  // all groups are equally likely: a set of attributes in proportion to its number of parities
};

// One public random group of coordinates, answered by randomized response: one group a report, drawn
// independently of the record.
struct SampledSpec {
  // On `characters`: at least one element, distinct (kind, attributes), together covering every coordinate.
  std::vector<GroupWeight> groups;
  Spread spread = Spread::kSubsets;
  // On `literals`: the coordinates are partitioned, in order, into groups of this size (the last may be smaller), all
  // equally likely; 1 to 16. 0 on `characters`.
  std::uint32_t group_size = 0;
  bool operator==(const SampledSpec&) const = default;
};

using ChannelSpec = std::variant<LaplaceSpec, SampledSpec>;

}  // namespace hearsay
