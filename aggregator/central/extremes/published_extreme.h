// Computes the law of a release of the maximum that Xiao, Xiong and Yuan published in 2010. Their claim of privacy is
// false.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::central {

// The readings of the paper. For a row x and reach ε, the paper raises the probability of the range r⁺ and lowers that
// of r⁻. The paper prints r⁺ = "[x - ε, x + ε]" and r⁻ = "[min(D), x - ε]". The paper does not say whether min(D) is
// the minimum of the domain or of the rows. The paper does not say to which range the value x - ε belongs. In section
// 4.1.2, r⁻ is everything except r⁺.
enum class Reading {
  kDomainHalfOpen,  // r⁺ = [x-ε, x+ε], r⁻ = [least value of the domain, x-ε)
  kDomainClosed,    // r⁺ = (x-ε, x+ε], r⁻ = [least value of the domain, x-ε]
  kDataHalfOpen,    // r⁺ = [x-ε, x+ε], r⁻ = [least row, x-ε)
  kDataClosed,      // r⁺ = (x-ε, x+ε], r⁻ = [least row, x-ε]
  kComplement,      // r⁺ = [x-ε, x+ε], r⁻ = all other values
};

// Starts from the uniform law on the domain 0, ..., values - 1. For one row after another, *in their order*, moves the
// mass min(P⁺·(e^α - 1), P⁻·(1 - e^{-α})) from r⁻ to r⁺, in proportion to the mass of each value. P⁺ and P⁻ are the
// masses of r⁺ and r⁻. Xiao, Xiong, Yuan 2010, sections 4.1.2 and 7.
//
// Guarantee: none. Theorem 4.3 claims α-privacy. Its proof compares two runs up to the row in which their tables
// differ, but later rows move different masses. Under kDataHalfOpen and kDataClosed the ranges themselves differ, so
// the loss grows without bound with the number of rows. Theorem 4.4's claim of usefulness is false, too. Use
// RankedExtreme instead. Immutable, thread-safe.
class PublishedExtreme {
 public:
  static constexpr std::uint32_t kMostValues = std::uint32_t{1} << 16U;

  // `values`: 1 to 2^16. `reach`: the paper's ε, at least 1, in steps of the domain. `claimed`: the paper's α. Errors:
  // kInvalidArgument, kDomainTooLarge.
  static Result<PublishedExtreme> create(Reading reading, std::uint32_t values, std::uint32_t reach,
                                         const Epsilon& claimed);

  // Returns the probability of each value, in double precision (relative error about 1e-15 for each row). Without rows
  // the law is uniform. Errors: kInvalidArgument for a row outside the domain. Cost: rows times values.
  Result<std::vector<double>> law(std::span<const std::uint32_t> rows) const;

 private:
  PublishedExtreme(Reading reading, std::uint32_t values, std::uint32_t reach, const Epsilon& claimed)
      : reading_(reading), values_(values), reach_(reach), claimed_(claimed) {}
  void add_row(std::vector<double>& law, std::uint32_t row, std::uint32_t least) const;

  Reading reading_;
  std::uint32_t values_;
  std::uint32_t reach_;
  Epsilon claimed_;
};

}  // namespace hearsay::central
