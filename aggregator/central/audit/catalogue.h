// Every central mechanism of the project by name, on small domains, and some broken ones that an audit must refute.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/central/audit/audited_mechanism.h"

namespace hearsay::central {

struct AuditSettings {
  Epsilon claimed;  // the claim that the audit tests
  // The ε that the mechanism is made for: `claimed`, unless a mistake is planted.
  Epsilon built;
  std::uint32_t domain;
  std::uint32_t rows;
};

struct CatalogueEntry {
  std::string_view name;
  std::string_view about;
  const char* epsilon;
  std::uint32_t domain;
  std::uint32_t rows;
  std::function<Result<AuditedMechanism>(const AuditSettings&)> make;
  // True for a mechanism that the audit must refute.
  bool broken = false;
};

// Returns all entries: first the sound mechanisms, then the broken mechanisms.
const std::vector<CatalogueEntry>& catalogue();

// The changes to an entry's own values. A scale factor f makes the mechanism for ε/f while ε stays claimed. So every
// scale of its noise is f times the right one, and every rate is 1/f times the right one.
struct AuditRequest {
  std::string name;
  std::optional<Epsilon> epsilon = std::nullopt;
  std::optional<std::uint32_t> domain = std::nullopt;
  std::optional<std::uint32_t> rows = std::nullopt;
  std::optional<Rational> scale_factor = std::nullopt;
};

// Errors: kNotFound (an unknown name), kInvalidArgument (ε/f is not a valid ε, or the mechanism has no such domain),
// kDomainTooLarge, those of the mechanism.
Result<AuditedMechanism> audited_mechanism(const AuditRequest& request);

}  // namespace hearsay::central
