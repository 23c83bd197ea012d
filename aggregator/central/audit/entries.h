// The parts of the catalogue, and the functions that they share.
#pragma once

#include <utility>
#include <vector>

#include "aggregator/central/audit/catalogue.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

using Made = Result<AuditedMechanism>;
inline constexpr auto kReplace = Neighbours::kReplaceOne;
inline constexpr auto kAdd = Neighbours::kAddRemove;

std::vector<CatalogueEntry> laplace_entries();
std::vector<CatalogueEntry> selection_entries();
std::vector<CatalogueEntry> release_entries();
std::vector<CatalogueEntry> session_entries();
std::vector<CatalogueEntry> broken_entries();

// Returns a mechanism without a name; the catalogue fills in the name.
AuditedMechanism described(const AuditSettings& settings, Neighbours neighbours, bool ordered, Evidence evidence,
                           LossOf loss);

inline std::vector<std::int64_t> coordinates(std::int64_t value) { return {value}; }
template <class Integer>
std::vector<std::int64_t> coordinates(const std::vector<Integer>& values) {
  return {values.begin(), values.end()};
}

// Returns a mechanism that publishes an integer statistic with discrete Laplace noise of one scale on each coordinate.
// `statistic` returns a Result of one or several integers. Its errors are outputs.
template <class Statistic>
AuditedMechanism integer_noise(const AuditSettings& settings, Neighbours neighbours, bool ordered,
                               const Rational& scale, Statistic statistic) {
  LossOf loss = losses([scale, statistic](const Rows& rows) -> Result<Published<OutputLaw>> {
    const auto value = attempted([&] { return statistic(rows); });
    if (!value) return Published<OutputLaw>(value.error());
    OutputLaw law;
    law.statistic = coordinates(*value);
    law.scale = scale;
    return Published<OutputLaw>(std::move(law));
  });
  return described(settings, neighbours, ordered, Evidence::kExact, std::move(loss));
}

// Returns a mechanism that publishes the bits of the records, each flipped with a fixed probability. `odds` is Pr[a bit
// stays]/Pr[a bit flips].
AuditedMechanism flipped_bits(const AuditSettings& settings, const WideFraction& odds);

std::vector<std::uint64_t> histogram_of(const Rows& rows, std::uint32_t domain);

// Returns a CellRelease whose noise is made for the neighbours `built_for`. The audit compares the neighbours
// `audited`.
Made cell_counts(const AuditSettings& settings, Neighbours built_for, Neighbours audited);

// Returns a LinearRelease. Its output holds the number of records, with noise under add-remove.
Made linear_release(const AuditSettings& settings, Neighbours neighbours);

// Returns half of ε, rounded down to 6 decimals.
Result<Epsilon> half(const Epsilon& epsilon);

// Returns the number of bits, at least 1, that can number `values` values.
std::uint32_t bits_for(std::uint32_t values);

}  // namespace hearsay::central
