// The parts of the catalogue, and what they share.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "aggregator/central/audit/catalogue.h"
#include "aggregator/central/laplace/laplace_mechanism.h"

namespace hearsay::central {

std::vector<CatalogueEntry> laplace_entries();
std::vector<CatalogueEntry> selection_entries();
std::vector<CatalogueEntry> release_entries();
std::vector<CatalogueEntry> session_entries();
std::vector<CatalogueEntry> broken_entries();

// The name is filled in by the catalogue.
AuditedMechanism described(const AuditSettings& settings, Neighbours neighbours, bool ordered, Evidence evidence,
                           LossOf loss);

// Integer statistics with discrete Laplace noise of one scale on each coordinate.
using StatisticOf = std::function<Result<std::vector<std::int64_t>>(const Rows&)>;
AuditedMechanism integer_noise(const AuditSettings& settings, Neighbours neighbours, bool ordered,
                               const Rational& scale, StatisticOf statistic);

std::vector<std::uint64_t> histogram_of(const Rows& rows, std::uint32_t domain);

// Cell release made for one kind of neighbours and audited under another.
Result<AuditedMechanism> cell_counts(const AuditSettings& settings, Neighbours built_for, Neighbours audited);

// Roth's release of a synthetic histogram. Under add-remove the output holds the noised number of records too.
Result<AuditedMechanism> linear_release(const AuditSettings& settings, Neighbours neighbours);

// Half of it, rounded down to 6 decimals.
Result<Epsilon> half(const Epsilon& epsilon);

// Bits that number `values` values: 1 at least.
std::uint32_t bits_for(std::uint32_t values);

}  // namespace hearsay::central
