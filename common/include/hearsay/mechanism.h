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

// Parities of at most `order` attributes' bits. Not built yet: refused with kUnsupported.
struct CharactersSpec {
  std::uint32_t order = 2;
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

// One public random group of coordinates, answered by randomized response. Not built yet: refused with kUnsupported.
struct SampledSpec {
  bool operator==(const SampledSpec&) const = default;
};

using ChannelSpec = std::variant<LaplaceSpec, SampledSpec>;

}  // namespace hearsay
