// The published release of max and min, whose claim of privacy is false. For study and comparison only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/central/extremes/extreme.h"
#include "aggregator/central/neighbours.h"
#include "common/random/bit_source.h"
#include "hearsay/epsilon.h"
#include "hearsay/result.h"

namespace hearsay::central {

// For a row x and reach ε the paper raises the probability of r⁺ and lowers that of r⁻, "[min(D), x - ε]" against
// "[x - ε, x + ε]". Left open: whose minimum, where the value x - ε belongs, and (section 4.1.2) all but r⁺ for r⁻.
// For the maximum; mirrored for the minimum.
enum class Reading {
  kDomainHalfOpen,  // r⁺ = [x-ε, x+ε], r⁻ = [least value of the domain, x-ε)
  kDomainClosed,    // r⁺ = (x-ε, x+ε], r⁻ = [least value of the domain, x-ε]
  kDataHalfOpen,    // r⁺ = [x-ε, x+ε], r⁻ = [least row, x-ε)
  kDataClosed,      // r⁺ = (x-ε, x+ε], r⁻ = [least row, x-ε]
  kComplement,      // r⁺ = [x-ε, x+ε], r⁻ = all other values
};

// The worst pair of neighbours found, and what tells them apart.
struct MeasuredLoss {
  double alpha;  // |ln Pr[output|rows]/Pr[output|neighbour]|; infinite if only one of the two can give the output
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> neighbour;
  std::uint32_t output;
};

// Starts from the uniform law on the domain 0, ..., values - 1 and, row by row *in their order*, moves mass from r⁻ to
// r⁺: min(P⁺·(e^α - 1), P⁻·(1 - e^{-α})), each in proportion to what it has. Xiao, Xiong, Yuan 2010, sections 4.1.2
// and 7.
//
// Guarantee: none. Theorem 4.3 claims α; it compares two runs up to the row in which they differ, but later rows move
// different amounts, and under kData... the ranges themselves differ. measure() returns what really is lost; with
// kData... it grows without bound with the number of rows. Theorem 4.4's usefulness fails, too. Use RankedExtreme.
// Immutable, thread-safe.
class PublishedExtreme {
 public:
  static constexpr std::uint32_t kMostValues = std::uint32_t{1} << 16U;
  static constexpr std::uint64_t kMostDatabases = std::uint64_t{1} << 18U;

  // `values`: 1 to 2^16. `reach`: the paper's ε, at least 1, in steps of the domain. `claimed`: the paper's α.
  // Errors: kInvalidArgument, kDomainTooLarge.
  static Result<PublishedExtreme> create(Extreme extreme, Reading reading, std::uint32_t values, std::uint32_t reach,
                                         const Epsilon& claimed);

  // The probability of each value, in double precision (relative error about 1e-15 a row). No row: uniform.
  // Errors: kInvalidArgument for a row outside the domain. Cost: rows times values.
  Result<std::vector<double>> law(std::span<const std::uint32_t> rows) const;

  // A value drawn from law(), within values·2^-52 in total variation. Not private. Throws EntropyError.
  Result<std::uint32_t> release(std::span<const std::uint32_t> rows, BitSource& bits) const;

  // The largest loss over all tables of at most `most_rows` rows, in every order, and all their neighbours: a lower
  // bound of the true α, to compare with the claimed one. Errors: kInvalidArgument for 0 rows; kDomainTooLarge above
  // 2^18 tables.
  Result<MeasuredLoss> measure(Neighbours neighbours, std::size_t most_rows) const;

  const Epsilon& claimed() const { return claimed_; }

 private:
  PublishedExtreme(Extreme extreme, Reading reading, std::uint32_t values, std::uint32_t reach, const Epsilon& claimed)
      : extreme_(extreme), reading_(reading), values_(values), reach_(reach), claimed_(claimed) {}
  void add_row(std::vector<double>& law, std::uint32_t row, std::uint32_t least) const;

  Extreme extreme_;
  Reading reading_;
  std::uint32_t values_;
  std::uint32_t reach_;
  Epsilon claimed_;
};

// What the paper claims to suffice for a value within ε of the extreme of uniform rows with probability 1 - δ:
// n = (β/(αε))·ln(β/(εδ(e^α+1)²)). It does not (published_usefulness_test.cc). Theorem 4.4.
// Errors: kInvalidArgument unless values, reach >= 1 and 0 < delta < 1/(e^α+1).
Result<double> rows_claimed_to_suffice(std::uint32_t values, std::uint32_t reach, const Epsilon& alpha, double delta);

}  // namespace hearsay::central
