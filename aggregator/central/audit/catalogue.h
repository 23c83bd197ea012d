// Every central mechanism of the project, and some broken ones, by name, on small domains.
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
  Epsilon claimed;  // what is audited against
  Epsilon built;    // what the mechanism is made for: claimed, but for a planted mistake
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
  bool broken = false;  // made to be refuted
};

// The sound ones first.
const std::vector<CatalogueEntry>& catalogue();

// What to change of an entry's own values. A scale factor f makes the mechanism for ε/f while ε stays claimed: every
// scale of its noise is f times what it should be, every rate 1/f times.
struct AuditRequest {
  std::string name;
  std::optional<Epsilon> epsilon = std::nullopt;
  std::optional<std::uint32_t> domain = std::nullopt;
  std::optional<std::uint32_t> rows = std::nullopt;
  std::optional<Rational> scale_factor = std::nullopt;
};

// Errors: kNotFound for an unknown name; kInvalidArgument if ε/f is no ε, or the mechanism has no such domain;
// kDomainTooLarge; those of the mechanism.
Result<AuditedMechanism> audited_mechanism(const AuditRequest& request);

}  // namespace hearsay::central
