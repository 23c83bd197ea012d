// Central mechanisms by name, on small domains, and broken mechanisms that an audit must refute.
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
  // The ε for which the mechanism is made: `claimed`, unless AuditRequest has a scale factor.
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

// Returns all entries, the broken ones last.
const std::vector<CatalogueEntry>& catalogue();

// An entry's name, and values that replace the entry's own values. With a scale factor f, the mechanism is made for ε/f
// but claims ε. So its noise has f times the right scale.
struct AuditRequest {
  std::string name;
  std::optional<Epsilon> epsilon = std::nullopt;
  std::optional<std::uint32_t> domain = std::nullopt;
  std::optional<std::uint32_t> rows = std::nullopt;
  std::optional<Rational> scale_factor = std::nullopt;
};

// Errors: kNotFound (an unknown name), kInvalidArgument (ε/f is not a valid ε, or the mechanism cannot be made on this
// domain), kDomainTooLarge, those of the mechanism.
Result<AuditedMechanism> audited_mechanism(const AuditRequest& request);

}  // namespace hearsay::central
