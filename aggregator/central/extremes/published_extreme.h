// The published release of the maximum, whose claim of privacy is false: its law, for audits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::central {

// For a row x and reach ε the paper raises the probability of r⁺ and lowers that of r⁻, "[min(D), x - ε]" against
// "[x - ε, x + ε]". Left open: whose minimum, where the value x - ε belongs, and (section 4.1.2) all but r⁺ for r⁻.
enum class Reading {
  kDomainHalfOpen,  // r⁺ = [x-ε, x+ε], r⁻ = [least value of the domain, x-ε)
  kDomainClosed,    // r⁺ = (x-ε, x+ε], r⁻ = [least value of the domain, x-ε]
  kDataHalfOpen,    // r⁺ = [x-ε, x+ε], r⁻ = [least row, x-ε)
  kDataClosed,      // r⁺ = (x-ε, x+ε], r⁻ = [least row, x-ε]
  kComplement,      // r⁺ = [x-ε, x+ε], r⁻ = all other values
};

// Starts from the uniform law on the domain 0, ..., values - 1 and, row by row *in their order*, moves mass from r⁻ to
// r⁺: min(P⁺·(e^α - 1), P⁻·(1 - e^{-α})), each in proportion to what it has. Xiao, Xiong, Yuan 2010, sections 4.1.2
// and 7.
//
// Guarantee: none. Theorem 4.3 claims α; it compares two runs up to the row in which they differ, but later rows move
// different amounts, and under kData... the ranges themselves differ, so that the loss grows without bound with the
// number of rows. Theorem 4.4's usefulness fails, too. Use RankedExtreme. Immutable, thread-safe.
class PublishedExtreme {
 public:
  static constexpr std::uint32_t kMostValues = std::uint32_t{1} << 16U;

  // `values`: 1 to 2^16. `reach`: the paper's ε, at least 1, in steps of the domain. `claimed`: the paper's α.
  // Errors: kInvalidArgument, kDomainTooLarge.
  static Result<PublishedExtreme> create(Reading reading, std::uint32_t values, std::uint32_t reach,
                                         const Epsilon& claimed);

  // The probability of each value, in double precision (relative error about 1e-15 a row). No row: uniform.
  // Errors: kInvalidArgument for a row outside the domain. Cost: rows times values.
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
