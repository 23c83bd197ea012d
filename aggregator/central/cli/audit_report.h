// What `hearsay-central audit` prints.
#pragma once

#include "aggregator/central/audit/catalogue.h"
#include "aggregator/console/output.h"
#include "hearsay/result.h"

namespace hearsay::central {

// Audits one mechanism of the catalogue and prints the result. Returns 1 if the claim is refuted, 0 otherwise.
Result<int> audit_mechanism(const AuditRequest& request, console::OutputFormat format);

// Prints the catalogue. Returns 0.
int list_mechanisms(console::OutputFormat format);

}  // namespace hearsay::central
